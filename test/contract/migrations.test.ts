import { expect, inject, test } from 'vitest';
import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { migrations } from '../../shared/db/migrations/index.ts';
import { startApp } from '../support/app.ts';
import { databaseAt } from '../support/database.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';

/** What only migrations declare: the job queue, page views, the text of a view, indexes, unique slugs, checks, triggers and foreign keys, and a column that only an earlier version writes. */
const ownedByMigrations = [
  /"graphile_worker"/,
  /^drop table if exists "page_view/,
  /^drop table if exists "rate_limits"/,
  /^drop index /,
  /^drop (trigger|function) /,
  /^(drop|create) view /,
  /^alter table "\w+" drop column "search"$/,
  /^alter table "trash" drop column "parts"$/,
  /^alter table "\w+" drop constraint "\w+_(fkey|slug_key|check)"$/,
];

test('the migrated tables are what the entities declare', async () => {
  await using app = await startApp();
  const sql = await app.deps.database.schema.getUpdateSchemaSQL({ wrap: false });
  const statements = sql.split(/;\s*/).map((statement) => statement.trim());
  const drift = statements.filter((statement) => !ownedByMigrations.some((owned) => owned.test(statement)));
  expect(drift.filter(Boolean)).toEqual([]);
});

test('every primary key and unique constraint begins with the site, but those that credentials are found by', async () => {
  await using app = await startApp();
  const rows = await app.deps.database.em.execute<{ name: string }[]>(`
    select i.indexrelid::regclass::text as name from pg_index i
    join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
    join pg_attribute site on site.attrelid = c.oid and site.attname = 'site_id'
    where (i.indisunique or i.indisprimary) and i.indkey[0] <> site.attnum order by 1`);
  const foundBeforeTheirSite = [
    'api_keys_key_hash_key',
    'api_keys_previous_key_hash_key',
    'member_sessions_token_hash_key',
    'owner_sessions_token_hash_key',
    'owners_email_key',
  ];
  expect(rows.map(({ name }) => name)).toEqual(foundBeforeTheirSite);
});

test('processes that migrate the same empty database at once all succeed, and once more changes nothing', async () => {
  const serverUrl = inject('databaseUrl');
  const name = 'migrated_at_once';
  const admin = await openDatabase({ url: serverUrl, poolSize: 1, applicationName: 'test-admin' });
  await admin.em.execute(`create database ${name}`);
  const url = databaseAt(serverUrl, name);
  const processes = await Promise.all(
    [1, 2, 3].map(() => openDatabase({ url, poolSize: 2, applicationName: name })),
  );
  await Promise.all(processes.map(() => migrate(url)));
  await Promise.all(processes.map(() => migrate(url)));
  const [first] = processes;
  const done = await first?.migrator.getExecuted();
  expect(done?.map((migration) => migration.name)).toHaveLength(migrations.length);
  await Promise.all(processes.map((database) => database.close()));
  await admin.em.execute(`drop database ${name}`);
  await admin.close();
});

test('who owns a database and nothing else can migrate it', async () => {
  const serverUrl = inject('databaseUrl');
  const admin = await openDatabase({ url: serverUrl, poolSize: 1, applicationName: 'test-admin' });
  await admin.em.execute(`create role plain_owner login password 'plain'`);
  await admin.em.execute('create database plainly_owned owner plain_owner');
  const url = new URL(databaseAt(serverUrl, 'plainly_owned'));
  url.username = 'plain_owner';
  url.password = 'plain';
  expect(await migrate(url.href)).toHaveLength(migrations.length);
  await admin.em.execute('drop database plainly_owned');
  await admin.em.execute('drop role plain_owner');
  await admin.close();
});

test('what was in the trash with its parts is restored with them after an upgrade, also when an earlier version deletes meanwhile', async () => {
  await using database = await createEmptyDatabase();
  const before = await openDatabase({ url: database.url, poolSize: 1, applicationName: 'before' });
  await before.migrator.up({ to: '0150-counter-slots' });
  await before.close();
  const trash = (id: string) =>
    database.query(`
      insert into trash (site_id, collection, id, title, deleted, actor, record, parts)
      values ('s', 'courses', '${id}', 'Course', now(), '{}', '{"id": "${id}"}', '[
        {"collection": "modules", "record": {"id": "m-${id}"}}, {"collection": "lessons", "record": {"id": "l-${id}"}}]')`);
  await trash('early');
  await migrate(database.url);
  await trash('late');
  const parts = await database.query('select * from trash_parts order by whole_id, id');
  const part = (whole_id: string, collection: string, id: string) => ({
    site_id: 's',
    collection,
    id,
    whole_collection: 'courses',
    whole_id,
    record: { id },
  });
  expect(parts).toEqual([
    part('early', 'lessons', 'l-early'),
    part('early', 'modules', 'm-early'),
    part('late', 'lessons', 'l-late'),
    part('late', 'modules', 'm-late'),
  ]);
  expect(await database.query('select distinct parts from trash')).toEqual([{ parts: [] }]);
  await expect(database.query('delete from trash')).rejects.toThrow('trash_parts_whole_fkey');
});
