import { Migration } from '@mikro-orm/migrations';

/**
 * What the public site needs: its looks, which testimonials it may show, and versions of all that its pages are made of,
 * so that a page that is kept is never stale.
 */
export class SitePages0020 extends Migration {
  override name = '0020-site-pages';

  override up() {
    this.addSql(`
      alter table sites
        add column language text not null default 'en',
        add column theme jsonb not null default '${theme}'`);
    this.addSql('alter table sites alter column language drop default, alter column theme drop default');
    this.addSql('alter table testimonials add column approved boolean not null default false');
    this.addSql('alter table testimonials alter column approved drop default');
    this.addSql('drop function free_slug');
    this.addSql(freeSlug);
    // The function that raises versions asks every table which of its rows are read.
    for (const table of ['profiles', 'modules', 'lessons']) this.addSql(addIsPublic(table, 'true'));
    this.addSql(addIsPublic('testimonials', 'approved'));
    for (const table of ['profiles', 'pages', 'modules', 'lessons', 'testimonials']) {
      for (const [name, occasion] of occasions(table)) this.addSql(trigger(table, name, occasion));
      this.addSql(countPublic(table));
    }
  }
}

const theme = JSON.stringify({
  accent: '#b3412b',
  font: 'editorial',
  width: 'medium',
  scheme: 'auto',
  sections: ['posts', 'projects', 'courses', 'talks', 'cv', 'testimonials', 'newsletter'],
});

const addIsPublic = (table: string, condition: string) =>
  `alter table ${table} add column is_public boolean not null generated always as (${condition}) stored`;

/*
 * As before, and a base that is reserved counts as taken. Each query in the loop sees what was committed before it. A
 * numbered slug is longer than the one it was made from, so that nobody waits in a circle.
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

const occasions = (table: string) =>
  [
    ['inserted', `after insert on ${table} referencing new table as new_rows`],
    ['updated', `after update on ${table} referencing old table as old_rows new table as new_rows`],
    ['deleted', `after delete on ${table} referencing old table as old_rows`],
    ['truncated', `after truncate on ${table}`],
  ] as const;

const trigger = (table: string, name: string, occasion: string) =>
  `create trigger ${table}_${name} ${occasion} for each statement execute function note_collection_change()`;

const countPublic = (table: string) => `
insert into collection_state (site_id, collection, version, public_count)
select site_id, '${table}', 1, count(*) filter (where is_public) from ${table} group by site_id`;
