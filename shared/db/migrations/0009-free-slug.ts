import { Migration } from '@mikro-orm/migrations';

/** Slugs are picked under a lock that writers of other slugs don't wait for. */
export class FreeSlug0009 extends Migration {
  override name = '0009-free-slug';

  override up() {
    this.addSql(lockSlug);
    this.addSql(freeSlug);
  }
}

const lockSlug = `
create function lock_slug(collection text, site text, slug text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended(collection || '/' || site || '/' || slug, 0))
$$`;

/*
 * Each query in the loop sees what was committed before it. A numbered slug is longer than the one it was made from, so
 * that locks are always taken from the shorter to the longer and nobody waits in a circle.
 */
const freeSlug = `
create function free_slug(collection text, site text, base text, own_id text) returns text language plpgsql as $$
declare
  slug text := base;
  is_taken boolean;
begin
  loop
    perform lock_slug(collection, site, slug);
    execute format('select exists (select from %I where site_id = $1 and slug = $2 and id <> $3)', collection)
      into is_taken using site, slug, own_id;
    exit when not is_taken;
    execute format(
      'select $2 || ''-'' || number from (select generate_series(2, 1000000) as number) numbers
        where not exists (select from %I where site_id = $1 and slug = $2 || ''-'' || number and id <> $3) limit 1', collection)
      into slug using site, base, own_id;
  end loop;
  return slug;
end $$`;
