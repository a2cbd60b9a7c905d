import { Migration } from '@mikro-orm/migrations';

/**
 * How many copies were sent lately, by the limits of the mail server: for each unit of time, by its parts. The table is
 * logged, since what a crash forgets would be sent beyond them. A mailing that sends has its bodies.
 */
export class MailCounts extends Migration {
  override up() {
    this.addSql('create table mail_counts (unit text primary key, parts jsonb not null)');
    this.addSql(`alter table mailings add constraint mailings_frozen_check
      check (frozen_at is not null or status not in ('sending', 'sent'))`);
  }
}
