import { Migration } from '@mikro-orm/migrations';

/** Attempts that owners ask for, the log of all attempts, secrets that overlap, and what a subscription is narrowed to. */
export class WebhookRepair0070 extends Migration {
  override name = '0070-webhook-repair';

  override up() {
    this.addSql(sql);
  }
}

const sql = `
alter table webhook_subscriptions
  add column collections text[],
  add column by_key boolean not null default false,
  add column registered_at timestamptz(6) not null default now(),
  add column previous_secret_sealed text,
  add column previous_secret_expires_at timestamptz(3);
-- Only registration with a key has ever taken wildcards.
update webhook_subscriptions set registered_at = created;
update webhook_subscriptions set by_key = true where array_to_string(events, ' ') like '%*%';
alter table webhook_subscriptions alter column by_key drop default;

alter table webhook_deliveries
  add column attempt_limit integer not null default 6,
  add column asked_at timestamptz(3),
  add column in_replay boolean not null default false,
  add column body text;
alter table webhook_deliveries
  alter column attempt_limit drop default,
  alter column in_replay drop default;
create index webhook_deliveries_asked_idx on webhook_deliveries (site_id, subscription_id, in_replay, asked_at) where asked_at is not null;

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
