import { Migration } from '@mikro-orm/migrations';

/** Functions that choose free slugs, and redirects from old addresses. */
export class Addresses extends Migration {
  override up() {
    this.addSql(lockSlug);
    this.addSql(freeSlug);
    this.addSql(redirects);
  }
}

/* A slug is chosen under an advisory lock of its own, so writers of other slugs do not wait. */
const lockSlug = `
create function lock_slug(collection text, site text, slug text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended(collection || '/' || site || '/' || slug, 0))
$$`;

/*
 * Returns `base`, or `base` with the first free number from 2. A reserved base counts as taken. Each query in the loop
 * sees what was committed before it. A numbered slug is longer than its base, so locks are taken from shorter to longer
 * slugs.
 */
const freeSlug = `
create function free_slug(collection text, site text, base text, own_id text, is_reserved boolean) returns text language plpgsql as $$
declare
  slug text := base;
  is_taken boolean;
begin
  loop
    perform lock_slug(collection, site, slug);
    execute format('select exists (select from %I where site_id = $1 and slug = $2 and id <> $3)', collection)
      into is_taken using site, slug, own_id;
    exit when not is_taken and not (is_reserved and slug = base);
    execute format(
      'select $2 || ''-'' || number from (select generate_series(2, 1000000) as number) numbers
        where not exists (select from %I where site_id = $1 and slug = $2 || ''-'' || number and id <> $3) limit 1', collection)
      into slug using site, base, own_id;
  end loop;
  return slug;
end $$`;

/* Old addresses lead on while nothing else is there. */
const redirects = `
create table redirects (
  site_id text not null,
  id text not null,
  "from" text not null,
  "to" text not null,
  permanent boolean not null,
  collection text not null,
  record_id text not null,
  is_public boolean not null generated always as (true) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint redirects_from_key unique (site_id, "from")
)`;
