import { Migration } from '@mikro-orm/migrations';

/**
 * Whether readers see a record, as a column: reads, counts, indexes and triggers all ask it. One trigger function keeps
 * the counts, of the collections whose version or count somebody reads.
 */
export class PublicRecords0007 extends Migration {
  override name = '0007-public-records';

  override up() {
    for (const collection of withDrafts)
      this.addSql(addColumn(collection, "visibility = 'public' and not is_draft"));
    this.addSql(addColumn('skills', "visibility = 'public'"));
    // Every member counts: the counting function asks this column of every table.
    this.addSql(addColumn('members', 'true'));
    for (const [collection, sorts] of Object.entries(indexes))
      for (const [sort, columns] of Object.entries(sorts))
        this.addSql(replaceIndex(collection, sort, columns));
    this.addSql(countingFunction);
    this.addSql(moveTriggers('skills', changes));
    this.addSql(moveTriggers('members', ['inserted', 'deleted', 'truncated']));
    for (const unread of ['pages', 'profiles']) this.addSql(dropTriggers(unread, changes));
    this.addSql("delete from collection_state where collection in ('pages', 'profiles')");
    this.addSql('drop function note_collection_change_without_drafts, note_profile_change');
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

const addColumn = (table: string, condition: string) =>
  `alter table ${table} add column is_public boolean not null generated always as (${condition}) stored`;

const created = { created: 'created desc, id desc' };
const every = { ...created, updated: 'updated desc, id desc', title: 'title collate "und-x-icu", id' };

const indexes: Record<string, Record<string, string>> = {
  posts: every,
  projects: every,
  courses: every,
  talks: created,
  experience: created,
  education: created,
  skills: created,
  certifications: created,
};

const replaceIndex = (collection: string, sort: string, columns: string) => `
drop index ${collection}_public_${sort}_idx;
create index ${collection}_public_${sort}_idx on ${collection} (site_id, ${columns}) where is_public`;

// Sites are written in one order, so that two statements over several sites can't deadlock.
const countingFunction = `
create or replace function note_collection_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into collection_state as s
      select site_id, tg_table_name, 1, count(*) filter (where is_public) from new_rows group by site_id order by site_id
    on conflict (site_id, collection) do update set version = s.version + 1, public_count = s.public_count + excluded.public_count;
  elsif tg_op = 'DELETE' then
    insert into collection_state as s
      select site_id, tg_table_name, 1, -(count(*) filter (where is_public)) from old_rows group by site_id order by site_id
    on conflict (site_id, collection) do update set version = s.version + 1, public_count = s.public_count + excluded.public_count;
  elsif tg_op = 'UPDATE' then
    insert into collection_state as s
      select site_id, tg_table_name, 1, sum(change) from (
        select site_id, is_public::integer as change from new_rows
        union all select site_id, -(is_public::integer) from old_rows
      ) changes group by site_id order by site_id
    on conflict (site_id, collection) do update set version = s.version + 1, public_count = s.public_count + excluded.public_count;
  else
    update collection_state set version = version + 1, public_count = 0 where collection = tg_table_name;
  end if;
  return null;
end $$`;

type Change = 'inserted' | 'updated' | 'deleted' | 'truncated';

const changes: Change[] = ['inserted', 'updated', 'deleted', 'truncated'];

const dropTriggers = (table: string, names: Change[]) =>
  names.map((name) => `drop trigger ${table}_${name} on ${table}`).join(';\n');

const moveTriggers = (table: string, names: Change[]) => `
${dropTriggers(table, names)};
${names.map((name) => createTrigger(table, name)).join(';\n')}`;

const createTrigger = (table: string, name: Change) => `
create trigger ${table}_${name} ${occasions[name](table)}
  for each statement execute function note_collection_change()`;

const occasions: Record<Change, (table: string) => string> = {
  inserted: (table) => `after insert on ${table} referencing new table as new_rows`,
  updated: (table) => `after update on ${table} referencing old table as old_rows new table as new_rows`,
  deleted: (table) => `after delete on ${table} referencing old table as old_rows`,
  truncated: (table) => `after truncate on ${table}`,
};
