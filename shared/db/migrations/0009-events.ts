import { Migration } from '@mikro-orm/migrations';

/** Event log, webhook subscriptions, due deliveries and the log of attempts. */
export class Events extends Migration {
  override up() {
    this.addSql(events);
    this.addSql(webhooks);
    this.addSql(isEventAwaited);
  }
}

const events = `
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

-- Places of those who follow a site's events. Unlogged: after a crash of the database nobody has one.
create unlogged table event_followers (
  site_id text not null,
  place integer not null,
  holder text not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, place)
);
`;

/* Failures in a row are known by when their attempts began. */
const webhooks = `
create table webhook_subscriptions (
  site_id text not null,
  id text not null,
  url text not null,
  events text[] not null,
  collections text[],
  by_key boolean not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamptz(3),
  active boolean not null,
  acknowledged_began double precision not null,
  failed_began double precision[] not null,
  consecutive_failures integer not null generated always as (cardinality(failed_began)) stored,
  registered_at timestamptz(6) not null default now(),
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
  body text,
  status text not null,
  attempt_count integer not null,
  attempt_limit integer not null,
  last_status_code integer,
  error text,
  asked_at timestamptz(3),
  in_replay boolean not null,
  due_at timestamptz(3),
  lease_until timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
) with (fillfactor = 80);
create unique index webhook_deliveries_once_idx on webhook_deliveries (site_id, subscription_id, event_id);
create index webhook_deliveries_due_idx on webhook_deliveries (site_id, subscription_id, due_at) where due_at is not null;
create index webhook_deliveries_leased_idx on webhook_deliveries (site_id, subscription_id) where lease_until is not null;
create index webhook_deliveries_asked_idx on webhook_deliveries (site_id, subscription_id, in_replay, asked_at) where asked_at is not null;
create index webhook_deliveries_log_idx on webhook_deliveries (site_id, subscription_id, created desc, id desc);
create index webhook_deliveries_created_idx on webhook_deliveries (created);

create table webhook_attempts (
  site_id text not null,
  delivery_id text not null,
  attempt integer not null,
  started timestamptz(3) not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  manual boolean not null,
  primary key (site_id, delivery_id, attempt)
);
`;

/* A function sees what is there when it is called: the statement that calls it may have begun long before, and waited. */
const isEventAwaited = `
create function is_event_awaited(site text, patterns text[]) returns boolean language plpgsql as $$
begin
  return exists (select from webhook_subscriptions s where s.site_id = site and s.active and s.events && patterns);
end $$`;
