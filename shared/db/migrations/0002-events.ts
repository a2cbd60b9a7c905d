import { Migration } from '@mikro-orm/migrations';

/** Owner sessions, the event log and webhooks. */
export class Events0002 extends Migration {
  override name = '0002-events';

  override up() {
    this.addSql(sql);
  }
}

const sql = `
create table owner_sessions (
  site_id text not null,
  id text not null,
  owner_id text not null,
  token_hash text not null,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint owner_sessions_token_hash_key unique (token_hash)
);

create table events (
  site_id text not null,
  id text not null,
  name text not null,
  body text not null,
  occurred_at timestamptz(6) not null,
  awaits_fan_out boolean not null,
  primary key (site_id, id)
);
create index events_log_idx on events (site_id, name, occurred_at, id);
create index events_occurred_at_idx on events (occurred_at);
create index events_awaiting_idx on events (occurred_at) where awaits_fan_out;

create table webhook_subscriptions (
  site_id text not null,
  id text not null,
  url text not null,
  events text[] not null,
  secret_sealed text not null,
  active boolean not null,
  consecutive_failures integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);

create table webhook_deliveries (
  site_id text not null,
  id text not null,
  subscription_id text not null,
  event_id text,
  event text not null,
  status text not null,
  attempt_count integer not null,
  last_status_code integer,
  error text,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
) with (fillfactor = 80);
create unique index webhook_deliveries_once_idx on webhook_deliveries (site_id, subscription_id, event_id);
create index webhook_deliveries_due_idx on webhook_deliveries (site_id, subscription_id, due_at) where due_at is not null;
create index webhook_deliveries_leased_idx on webhook_deliveries (site_id, subscription_id) where lease_until is not null;
create index webhook_deliveries_log_idx on webhook_deliveries (site_id, subscription_id, created desc, id desc);
create index webhook_deliveries_created_idx on webhook_deliveries (created);
`;
