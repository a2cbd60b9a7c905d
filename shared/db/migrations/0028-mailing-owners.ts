import { Migration } from '@mikro-orm/migrations';

/** Newsletter settings, and columns for pausing, resuming and counting mailings. */
export class MailingOwners extends Migration {
  override up() {
    this.addSql(sites);
    this.addSql(mailings);
    this.addSql(recipients);
  }
}

const sites = `
alter table sites add column newsletter jsonb not null
  default '{"confirm": null, "from_name": "", "reply_to": "", "postal_address": ""}';
alter table sites alter column newsletter drop default;
`;

/* One that was paused while its recipients were being written down is not known from one that had all of them: it looks again. */
const mailings = `
alter table mailings add column prepared_at timestamptz(3),
  add column expected integer not null default 0, add column refused_before integer not null default 0;
update mailings set prepared_at = frozen_at, expected = recipients where status in ('sending', 'sent');
alter table mailings alter column expected drop default, alter column refused_before drop default;
`;

/* Lists of copies in a state are in the order of the whole list. */
const recipients = `
drop index mailing_recipients_state_idx;
create index mailing_recipients_state_idx on mailing_recipients (site_id, mailing_id, state, subscriber_id);
`;
