import { Migration } from '@mikro-orm/migrations';

/**
 * The name of a trigger's table is in collation "C", and what is compared with it, or called with it, would be too: not by
 * an index in the database's own collation, but by reading the counters of all sites in every write.
 */
export class CountedByIndex0240 extends Migration {
  override name = '0240-counted-by-index';

  override up() {
    this.addSql(noteChange);
  }
}

// Sites are written in one order, so that two statements over several sites can't deadlock.
const noteChange = `
create or replace function note_collection_change() returns trigger language plpgsql as $$
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
