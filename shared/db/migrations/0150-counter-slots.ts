import { Migration } from '@mikro-orm/migrations';

/**
 * Several rows hold what a collection's changes add up to, so that its writers don't wait for each other's commits: each
 * takes a row that nobody else holds. A collection has as many as it ever had writers at once, and readers ask the view.
 */
export class CounterSlots0150 extends Migration {
  override name = '0150-counter-slots';

  override up() {
    this.addSql(table);
    this.addSql(view);
    this.addSql(countChange);
    this.addSql(noteChange);
  }
}

const table = `
alter table collection_state rename to collection_changes;
alter table collection_changes
  add column slot integer not null default 0,
  drop constraint collection_state_pkey,
  add constraint collection_changes_pkey primary key (site_id, collection, slot);
alter table collection_changes alter column slot drop default`;

/*
 * Each commit raises one row by one, so two sums are the same only where the same commits can be seen. The first row is
 * there as soon as any is.
 */
const view = `
create view collection_state as
select first.site_id, first.collection, total.version, total.public_count
from collection_changes first cross join lateral (
  select sum(version)::bigint as version, sum(public_count)::integer as public_count from collection_changes c
  where c.site_id = first.site_id and c.collection = first.collection
) total
where first.slot = 0`;

/*
 * A transaction finds the row again that it has taken before. Where all are taken a new one is added, of at most 32: only
 * then, and while the first ones are made, does a writer wait for another.
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

// Sites are written in one order, so that two statements over several sites can't deadlock.
const noteChange = `
create or replace function note_collection_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform count_change(site_id, tg_table_name, more) from (
      select site_id, count(*) filter (where is_public) as more from new_rows group by site_id order by site_id
    ) changes;
  elsif tg_op = 'DELETE' then
    perform count_change(site_id, tg_table_name, more) from (
      select site_id, -(count(*) filter (where is_public)) as more from old_rows group by site_id order by site_id
    ) changes;
  elsif tg_op = 'UPDATE' then
    perform count_change(site_id, tg_table_name, more) from (
      select site_id, sum(change) as more from (
        select site_id, is_public::integer as change from new_rows
        union all select site_id, -(is_public::integer) from old_rows
      ) both_sides group by site_id order by site_id
    ) changes;
  else
    update collection_changes set version = version + 1, public_count = 0 where collection = tg_table_name;
  end if;
  return null;
end $$`;
