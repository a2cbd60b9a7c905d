import { Migration } from '@mikro-orm/migrations';

/**
 * Number of emails sent recently, for the limits of the mail server. `parts` contains the numbers of one unit of time,
 * by parts of this unit. The table is logged: if a crash lost the numbers, more emails than allowed would be sent.
 * The constraint requires stored bodies (`frozen_at`) of mailings that are `sending` or `sent`.
 */
export class MailCounts extends Migration {
  override up() {
    this.addSql('create table mail_counts (unit text primary key, parts jsonb not null)');
    this.addSql(`alter table mailings add constraint mailings_frozen_check
      check (frozen_at is not null or status not in ('sending', 'sent'))`);
  }
}
