import { Migration } from '@mikro-orm/migrations';

/** Offers, checkouts and the connection of a site to its payment provider. */
export class Offers extends Migration {
  override up() {
    this.addSql(
      `alter table sites add column selling jsonb not null default '{"terms_url": "", "note": ""}'`,
    );
    for (const statement of [offers, checkouts, connections]) this.addSql(statement);
    this.addSql(deactivatePurged);
    for (const table of ['offers', 'payment_connections'])
      for (const [occasion, when] of occasions)
        this.addSql(
          `create trigger ${table}_${occasion} after ${when(table)} for each statement execute function note_collection_change()`,
        );
  }
}

const offers = `
create table offers (
  site_id text not null,
  id text not null,
  title text not null,
  kind text not null,
  collection text,
  record_id text,
  tiers text[] not null,
  interval text not null,
  amount numeric not null,
  currency text not null,
  trial_days integer,
  active boolean not null,
  sort_order integer not null,
  product_ref text,
  is_public boolean not null generated always as (active) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);
create unique index offers_once_key on offers (site_id, collection, record_id) where active and interval = 'once';
create index offers_record_idx on offers (site_id, record_id) where record_id is not null;`;

/* Two tabs of one buyer share the open checkout of an offer. */
const checkouts = `
create table checkouts (
  site_id text not null,
  id text not null,
  token text not null,
  offer_id text not null,
  email text not null,
  mailbox text not null generated always as (mailbox_of(email)) stored,
  amount numeric not null,
  currency text not null,
  trial_days integer,
  parameters jsonb not null,
  attempt integer not null,
  session_ref text,
  url text,
  state text not null,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint checkouts_token_key unique (site_id, token)
);
create unique index checkouts_open_key on checkouts (site_id, offer_id, mailbox) where state in ('opening', 'open');
create index checkouts_waiting_idx on checkouts (site_id, expires_at) where state in ('opening', 'open', 'paying');
create index checkouts_created_idx on checkouts (created);`;

const connections = `
create table payment_connections (
  site_id text primary key,
  id text not null,
  account_id text,
  account_name text not null,
  livemode boolean not null,
  key_sealed text not null,
  hook_id text,
  hook_secret_sealed text,
  portal_ref text,
  automatic_tax boolean not null,
  promotion_codes boolean not null,
  public_url text not null,
  cursor timestamptz(3),
  lease_until timestamptz(3),
  lease_fence bigint not null,
  seen_at timestamptz(3),
  state text not null,
  reason text,
  is_public boolean not null generated always as (true) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  constraint payment_connections_id_key unique (id)
);`;

/*
 * Deactivates offers of purged records. A statement that restores a record deletes it from the trash too; the function runs at the
 * end of that statement, when the record exists again.
 */
const deactivatePurged = `
create function deactivate_purged_offers() returns trigger language plpgsql as $$
begin
  update offers o set active = false, updated = greatest(now(), o.updated + interval '1 millisecond')
  from old_rows t
  where t.collection in ('posts', 'courses') and o.site_id = t.site_id and o.record_id = t.id and o.collection = t.collection
    and o.active
    and not exists (select from posts r where t.collection = 'posts' and r.site_id = t.site_id and r.id = t.id)
    and not exists (select from courses r where t.collection = 'courses' and r.site_id = t.site_id and r.id = t.id);
  return null;
end $$;
create trigger trash_purged after delete on trash
  referencing old table as old_rows for each statement execute function deactivate_purged_offers();`;

const occasions: [occasion: string, when: (table: string) => string][] = [
  ['inserted', (table) => `insert on ${table} referencing new table as new_rows`],
  ['updated', (table) => `update on ${table} referencing old table as old_rows new table as new_rows`],
  ['deleted', (table) => `delete on ${table} referencing old table as old_rows`],
  ['truncated', (table) => `truncate on ${table}`],
];
