import { Migration } from '@mikro-orm/migrations';

/**
 * Adds state and provider to purchases, and creates memberships. Creates functions that return the tiers and purchases of an
 * email address.
 */
export class Selling extends Migration {
  override up() {
    for (const statement of [purchases, purchaseIndexes, mailboxes, memberships, entitlements])
      this.addSql(statement);
  }
}

/*
 * The defaults stay: servers of the previous version record purchases without these columns. `account_key` names the account at the
 * provider that a row belongs to, `charge_ref` the charge.
 */
const purchases = `
alter table purchases
  add column refunded_amount numeric not null default 0,
  add column dispute text not null default 'none',
  add column revoked_at timestamptz(3),
  add column provider text not null default 'manual',
  add column external_id text,
  add column charge_ref text,
  add column offer_id text,
  add column account_key text,
  add column livemode boolean not null default true,
  add column updated timestamptz(3) not null default now(),
  add column state text not null generated always as (
    case when revoked_at is not null or dispute = 'lost' then 'revoked' when dispute = 'open' then 'disputed'
      when amount > 0 and refunded_amount >= amount then 'refunded' else 'paid' end) stored;
update purchases set updated = created`;

const purchaseIndexes = `
create unique index purchases_external_key on purchases (site_id, provider, external_id) where external_id is not null;
create index purchases_updated_idx on purchases (site_id, updated, id);
drop index purchases_bought_idx;
create index purchases_bought_idx on purchases (site_id, buyer_email, content_type, content_id) include (state, livemode, provider);
drop index purchases_list_idx;
create index purchases_list_idx on purchases (site_id collate "POSIX", created, id) include (content_type, state, search)
where created <= 'infinity'`;

/* Removes the part from the first plus sign to the @, as mailboxOf of shared/contract/email.ts does. A plus sign that begins an address stays. */
const mailboxes = `
create function mailbox_of(email text) returns text language sql immutable parallel safe
return regexp_replace(email, '^(.[^+@]*)\\+[^@]*', '\\1')`;

const memberships = `
create table memberships (
  site_id text not null,
  id text not null,
  email text not null,
  tiers text[] not null,
  offer_id text,
  state text not null,
  blocked boolean not null,
  provider text not null,
  external_id text not null,
  customer_ref text,
  account_key text,
  amount numeric,
  currency text,
  interval text,
  open_until timestamptz(3) not null,
  cancel_at timestamptz(3),
  trial_used boolean not null,
  as_of timestamptz(3) not null,
  livemode boolean not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  mailbox text not null generated always as (mailbox_of(email)) stored,
  search bytea not null generated always as (decode(replace(lower(email), '\\', '\\\\'), 'escape')) stored,
  primary key (site_id, id),
  constraint memberships_external_key unique (site_id, provider, external_id)
);
create index memberships_mailbox_idx on memberships (site_id, mailbox);
create index memberships_updated_idx on memberships (site_id, updated, id);
create index memberships_list_idx on memberships (site_id collate "POSIX", created, id) include (state, search)
where created <= 'infinity';
alter table memberships set (parallel_workers = 0)`;

/* Rows of a test account open content to people who work on the site; to others, and rows of the demo provider, where test rows count. */
const counts = (row: string) =>
  `(${row}.livemode or counts_test or ${row}.provider <> 'demo' and works_on(site, reader))`;

/*
 * PostgreSQL puts the bodies of functions that return tables into the queries that call them, so that a query with the address of
 * each row uses the indexes. A thousand purchases are listed at most, and one more, which says that there are others. Whom the tiers
 * 'paid' and 'members' are open to needs none.
 */
const entitlements = `
create function works_on(site text, reader text) returns boolean language sql stable parallel safe as $$
  select exists (select from people p join site_people w on w.person_id = p.id where w.site_id = site and p.email = reader)
$$;
create function bought(site text, reader text, counts_test boolean) returns table (content_type text, content_id text)
language sql stable parallel safe as $$
  select p.content_type, p.content_id from purchases p
  where p.site_id = site and p.buyer_email = reader and p.state = 'paid' and p.content_type in ('posts', 'courses')
    and ${counts('p')}
    and not exists (select from members m where m.site_id = site and m.email = reader and m.status = 'blocked')
$$;
create function entitlements(site text, reader text, at timestamptz, counts_test boolean)
returns table (is_member boolean, tiers text[], purchases text[]) language sql stable parallel safe rows 1 as $$
  select coalesce(m.status = 'active', false), held.tiers, case when held.tiers @> '{members,paid}' then '{}'::text[] else array(
    select b.content_type || '/' || b.content_id from bought(site, reader, counts_test) b
    order by b.content_type, b.content_id limit 1001) end
  from (select) one left join members m on m.site_id = site and m.email = reader
  cross join lateral (select case when m.status = 'blocked' then '{}'::text[] else array(
    select unnest(m.access_tiers) union select unnest(s.tiers) from memberships s
    where s.site_id = site and s.mailbox = mailbox_of(reader) and not s.blocked and s.open_until > at and ${counts('s')}
    order by 1) end as tiers) held
$$`;
