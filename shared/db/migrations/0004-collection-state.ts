import { Migration } from '@mikro-orm/migrations';

/** The version and the number of readable records of each collection, kept by triggers in every write's own transaction. */
export class CollectionState0004 extends Migration {
  override name = '0004-collection-state';

  override up() {
    this.addSql(table);
    this.addSql(countingFunction('note_collection_change', "visibility = 'public' and not is_draft"));
    this.addSql(countingFunction('note_collection_change_without_drafts', "visibility = 'public'"));
    this.addSql(countingFunction('note_profile_change', 'true'));
    for (const collection of withDrafts) this.addSql(triggers(collection, 'note_collection_change'));
    this.addSql(triggers('skills', 'note_collection_change_without_drafts'));
    this.addSql(triggers('profiles', 'note_profile_change'));
    for (const collection of withDrafts)
      this.addSql(backfill(collection, "visibility = 'public' and not is_draft"));
    this.addSql(backfill('skills', "visibility = 'public'"));
    this.addSql(backfill('profiles', 'true'));
  }
}

const withDrafts = [
  'posts',
  'projects',
  'courses',
  'talks',
  'experience',
  'education',
  'certifications',
  'pages',
];

const table = `
create table collection_state (
  site_id text not null,
  collection text not null,
  version bigint not null,
  public_count integer not null,
  primary key (site_id, collection)
) with (fillfactor = 50)`;

// Sites are written in one order, so that two statements over several sites can't deadlock.
const countingFunction = (name: string, isPublic: string) => `
create function ${name}() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into collection_state as s
      select site_id, tg_table_name, 1, count(*) filter (where ${isPublic}) from new_rows group by site_id order by site_id
    on conflict (site_id, collection) do update set version = s.version + 1, public_count = s.public_count + excluded.public_count;
  elsif tg_op = 'DELETE' then
    insert into collection_state as s
      select site_id, tg_table_name, 1, -(count(*) filter (where ${isPublic})) from old_rows group by site_id order by site_id
    on conflict (site_id, collection) do update set version = s.version + 1, public_count = s.public_count + excluded.public_count;
  elsif tg_op = 'UPDATE' then
    insert into collection_state as s
      select site_id, tg_table_name, 1, sum(change) from (
        select site_id, (${isPublic})::integer as change from new_rows
        union all select site_id, -(${isPublic})::integer from old_rows
      ) changes group by site_id order by site_id
    on conflict (site_id, collection) do update set version = s.version + 1, public_count = s.public_count + excluded.public_count;
  else
    update collection_state set version = version + 1, public_count = 0 where collection = tg_table_name;
  end if;
  return null;
end $$`;

const triggers = (table: string, call: string) => `
create trigger ${table}_inserted after insert on ${table} referencing new table as new_rows
  for each statement execute function ${call}();
create trigger ${table}_updated after update on ${table} referencing old table as old_rows new table as new_rows
  for each statement execute function ${call}();
create trigger ${table}_deleted after delete on ${table} referencing old table as old_rows
  for each statement execute function ${call}();
create trigger ${table}_truncated after truncate on ${table}
  for each statement execute function ${call}()`;

const backfill = (table: string, isPublic: string) => `
insert into collection_state
select site_id, '${table}', 1, count(*) filter (where ${isPublic}) from ${table} group by site_id`;
