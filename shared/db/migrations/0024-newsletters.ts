import { Migration } from '@mikro-orm/migrations';

/** Newsletter subscriptions, suppressed addresses, mailings and their recipients. */
export class Newsletters extends Migration {
  override up() {
    this.addSql(subscribers);
    this.addSql(keys);
    this.addSql(mailings);
    this.addSql(recipients);
  }
}

/* Who subscribed before there were states gets mail. */
const subscribers = `
alter table subscribers add column status text not null default 'active';
alter table subscribers add column soft_bounces integer not null default 0;
alter table subscribers alter column status drop default, alter column soft_bounces drop default;
alter table subscribers add column confirm_sent_at timestamptz(3), add column confirmed_at timestamptz(3),
  add column ended_at timestamptz(3), add column last_bounce_at timestamptz(3);
create index subscribers_active_idx on subscribers (site_id, id) where status = 'active';
`;

/* Addresses are suppressed by a hash under the mail key of their site, for as long as the site is there. */
const keys = `
create table mail_keys (
  site_id text primary key,
  key_sealed text not null
);

create table suppressions (
  site_id text not null,
  email_hash text not null,
  reason text not null,
  created timestamptz(3) not null,
  primary key (site_id, email_hash)
);
`;

/* A site has at most one mailing that is preparing, sending or paused, whichever workers begin them. */
const mailings = `
create table mailings (
  site_id text not null,
  id text not null,
  post_id text not null,
  revision integer,
  subject text not null,
  preheader text not null,
  audience jsonb not null,
  on_unknown text not null,
  status text not null,
  pause_reason text,
  send_at timestamptz(3) not null,
  frozen_at timestamptz(3),
  prepared_through text,
  ended_at timestamptz(3),
  open_html text,
  open_text text,
  closed_html text,
  closed_text text,
  recipients integer not null,
  queued integer not null,
  sending integer not null,
  retrying integer not null,
  unknown integer not null,
  accepted integer not null,
  refused integer not null,
  skipped integer not null,
  bounced integer not null,
  complained integer not null,
  refused_by_policy integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint mailings_add_up_check check (
    recipients = queued + sending + retrying + unknown + accepted + refused + skipped + bounced + complained
  )
);
create unique index mailings_one_at_a_time_idx on mailings (site_id) where status in ('preparing', 'sending', 'paused');
create index mailings_list_idx on mailings (site_id, created desc, id desc);
create index mailings_post_idx on mailings (site_id, post_id);
-- What the worker looks through: of all mailings there ever were, these are few.
create index mailings_unfinished_idx on mailings (site_id, send_at)
  where status in ('scheduled', 'preparing', 'sending') or sending > 0;
`;

/* What waits for a moment, has it in due_at: its turn, its next attempt, or the end of the lease of the one under way. */
const recipients = `
create table mailing_recipients (
  site_id text not null,
  mailing_id text not null,
  subscriber_id text not null,
  id text not null,
  email text not null,
  body text,
  state text not null,
  attempts integer not null,
  doubts integer not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  reply_code integer,
  reply_status text,
  ended_at timestamptz(3),
  primary key (site_id, mailing_id, subscriber_id),
  constraint mailing_recipients_id_key unique (site_id, id)
) with (fillfactor = 80);
create index mailing_recipients_due_idx on mailing_recipients (site_id, mailing_id, due_at) where due_at is not null;
create index mailing_recipients_state_idx on mailing_recipients (site_id, mailing_id, state, id);
`;
