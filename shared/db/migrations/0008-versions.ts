import { Migration } from '@mikro-orm/migrations';

/**
 * Version and number of public records of each collection. Triggers update them in the transaction of every write, so that cached
 * responses and pages are never stale.
 */
export class Versions extends Migration {
  override up() {
    this.addSql(changes);
    this.addSql(state);
    this.addSql(countChange);
    this.addSql(noteChange);
    for (const table of counted)
      for (const occasion of occasions) this.addSql(trigger(table, occasion, 'note_collection_change'));
    // Updates of members need no trigger: their number stays, and no cache depends on their version.
    for (const occasion of occasions.filter((each) => each !== 'updated'))
      this.addSql(trigger('members', occasion, 'note_collection_change'));
    this.addSql(holdCover);
    for (const table of withCovers) this.addSql(cover(table));
    this.addSql(noteCoverChange);
    this.addSql(coverTriggers);
  }
}

const withCovers = ['posts', 'projects', 'courses', 'talks', 'pages'];

/** Tables with a version. Media are included because pages list the renditions of images, redirects because servers cache them. */
const counted = [
  ...withCovers,
  ...['experience', 'education', 'skills', 'certifications'],
  ...['modules', 'lessons', 'profiles', 'testimonials', 'media', 'redirects'],
];

/*
 * The version of a collection is the sum of up to 32 rows. Each writer increases a row that no other transaction has locked, so
 * that writers do not wait for each other's commits. Readers use the view `collection_state`.
 */
const changes = `
create table collection_changes (
  site_id text not null,
  collection text not null,
  version bigint not null,
  public_count integer not null,
  slot integer not null,
  primary key (site_id, collection, slot)
) with (fillfactor = 50)`;

/*
 * Each commit increases one row by one, so two readers see the same sum only if they see the same commits. The row with slot 0
 * is the first that a collection gets.
 */
const state = `
create view collection_state as
select first.site_id, first.collection, total.version, total.public_count
from collection_changes first cross join lateral (
  select sum(version)::bigint as version, sum(public_count)::integer as public_count from collection_changes c
  where c.site_id = first.site_id and c.collection = first.collection
) total
where first.slot = 0`;

/*
 * Increases one row of the collection that no other transaction has locked; a transaction may use the same row again.
 * If all rows are locked, a row is added, up to 32. A writer waits for another only if all 32 are locked, or if both add
 * the same row.
 */
const countChange = `
create function count_change(site text, changed text, more bigint) returns void language plpgsql as $$
begin
  update collection_changes c set version = c.version + 1, public_count = c.public_count + more
  where c.site_id = site and c.collection = changed and c.slot = (
    select slot from collection_changes where site_id = site and collection = changed limit 1 for no key update skip locked
  );
  if not found then
    insert into collection_changes as c
      select site, changed, 1, more, case when count(*) < 32 then count(*) else pg_backend_pid() % 32 end
      from collection_changes where site_id = site and collection = changed
    on conflict (site_id, collection, slot) do update set version = c.version + 1, public_count = c.public_count + excluded.public_count;
  end if;
end $$`;

/*
 * Counts sites in one order, so that two statements over several sites cannot deadlock. `tg_table_name` has collation "C". It is
 * converted to the database's collation, because a comparison in collation "C" could not use the primary key and would read the
 * counters of all sites.
 */
const noteChange = `
create function note_collection_change() returns trigger language plpgsql as $$
declare
  changed text collate "default" := tg_table_name;
begin
  if tg_op = 'INSERT' then
    perform count_change(site_id, changed, more) from (
      select site_id, count(*) filter (where is_public) as more from new_rows group by site_id order by site_id
    ) changes;
  elsif tg_op = 'DELETE' then
    perform count_change(site_id, changed, more) from (
      select site_id, -(count(*) filter (where is_public)) as more from old_rows group by site_id order by site_id
    ) changes;
  elsif tg_op = 'UPDATE' then
    perform count_change(site_id, changed, more) from (
      select site_id, sum(change) as more from (
        select site_id, is_public::integer as change from new_rows
        union all select site_id, -(is_public::integer) from old_rows
      ) both_sides group by site_id order by site_id
    ) changes;
  else
    update collection_changes set version = version + 1, public_count = 0 where collection = changed;
  end if;
  return null;
end $$`;

const occasions = ['inserted', 'updated', 'deleted', 'truncated'] as const;

const when: Record<(typeof occasions)[number], (table: string) => string> = {
  inserted: (table) => `after insert on ${table} referencing new table as new_rows`,
  updated: (table) => `after update on ${table} referencing old table as old_rows new table as new_rows`,
  deleted: (table) => `after delete on ${table} referencing old table as old_rows`,
  truncated: (table) => `after truncate on ${table}`,
};

const trigger = (table: string, occasion: (typeof occasions)[number], call: string) =>
  `create trigger ${table}_${occasion} ${when[occasion](table)} for each statement execute function ${call}()`;

/*
 * Locks the image until the record with this cover is committed. A later change of the image then sees the record, and increases
 * the version of its collection.
 */
const holdCover = `
create function hold_cover() returns trigger language plpgsql as $$
begin
  perform from media where site_id = new.site_id and id = new.cover for share;
  return new;
end $$`;

const cover = (table: string) => `
create index ${table}_cover_idx on ${table} (site_id, cover) where cover <> '';
create trigger ${table}_cover before insert or update of cover on ${table}
  for each row when (new.cover <> '') execute function hold_cover()`;

/** Increases the version of each collection in which a record has a changed file as its cover. */
const noteCoverChange = `
create function note_cover_change() returns trigger language plpgsql as $$
begin
${withCovers
  .map(
    (table) => `
  perform count_change(site_id, '${table}', 0) from (
    select distinct site_id from changed_rows c
    where exists (select from ${table} t where t.site_id = c.site_id and t.cover = c.id and t.cover <> '')
    order by site_id
  ) changes;`,
  )
  .join('')}
  return null;
end $$`;

const coverTriggers = `
create trigger media_cover_inserted after insert on media referencing new table as changed_rows
  for each statement execute function note_cover_change();
create trigger media_cover_updated after update on media referencing new table as changed_rows
  for each statement execute function note_cover_change();
create trigger media_cover_deleted after delete on media referencing old table as changed_rows
  for each statement execute function note_cover_change()`;
