import { createHash } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { migrations, replaced } from '../../shared/db/migrations/index.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';
import { runNode } from '../support/process.ts';
import { databaseAt } from '../support/template-database.ts';

/**
 * Objects that only migrations declare: the job queue, page views, rate limits, indexes, views, unique slugs, checks,
 * triggers and foreign keys.
 */
const ownedByMigrations = [
  /"graphile_worker"/,
  /^drop table if exists "page_view/,
  /^drop table if exists "rate_limits"/,
  /^drop index /,
  /^drop (trigger|function) /,
  /^(drop|create) view /,
  /^alter table "\w+" drop column "search"(, drop column "marks")?$/,
  /^alter table "\w+" drop constraint "\w+_(fkey|slug_key|check)"$/,
];

test('the migrated tables are equal to those that the entities declare', async () => {
  await using app = await startApp();
  const sql = await app.deps.database.schema.getUpdateSchemaSQL({ wrap: false });
  const statements = sql.split(/;\s*/).map((statement) => statement.trim());
  const drift = statements.filter((statement) => !ownedByMigrations.some((owned) => owned.test(statement)));
  expect(drift.filter(Boolean)).toEqual([]);
});

test('every primary key and unique constraint begins with the site, except those of credentials, which are looked up first', async () => {
  await using app = await startApp();
  const rows = await app.deps.database.em.execute<{ name: string }[]>(`
    select i.indexrelid::regclass::text as name from pg_index i
    join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
    join pg_attribute site on site.attrelid = c.oid and site.attname = 'site_id'
    where (i.indisunique or i.indisprimary) and i.indkey[0] <> site.attnum order by 1`);
  const foundBeforeTheirSite = [
    'api_keys_key_hash_key',
    'api_keys_previous_key_hash_key',
    'invitations_token_hash_key',
    'member_sessions_token_hash_key',
    'oauth_tokens_token_hash_key',
    'owner_sessions_token_hash_key',
    // Webhooks of the payment provider name the connection.
    'payment_connections_id_key',
  ];
  expect(rows.map(({ name }) => name)).toEqual(foundBeforeTheirSite);
});

test('several processes that migrate one empty database concurrently all succeed, and a second run changes nothing', async () => {
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

test('a role that owns only its database can migrate it', async () => {
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

test('no trigger runs before updates of a table with generated columns, which PostgreSQL would compute again each time', async () => {
  await using app = await startApp();
  const triggers = await app.deps.database.em.execute(`
    select tgname from pg_trigger
    where not tgisinternal and tgtype & 1 = 1 and tgtype & 2 = 2 and tgtype & 16 = 16
      and exists (select from pg_attribute where attrelid = tgrelid and attgenerated <> '')`);
  expect(triggers).toEqual([]);
});

test('the SQL of a migration never changes after it landed', async () => {
  await using app = await startApp();
  const { database } = app.deps;
  const sums = migrations.map(({ name, class: Landed }) => {
    const migration = new Landed(database.em.getDriver(), database.config);
    migration.up();
    return [name, createHash('sha256').update(migration.getQueries().join('\n')).digest('hex').slice(0, 16)];
  });
  expect(Object.fromEntries(sums)).toMatchInlineSnapshot(`
    {
      "0001-sites": "c84cc058bcf11780",
      "0002-audience": "f63ad7bd94b2b33b",
      "0003-content": "36e6d681dde114d1",
      "0004-addresses": "a3f7f2870d077f50",
      "0005-lists": "de49e03d482b54a4",
      "0006-history": "9ffad91171dd61eb",
      "0007-media": "1bba551a095579f7",
      "0008-versions": "632cb3849bd3ccf3",
      "0009-events": "67d86fcfb00bcf67",
      "0010-limits": "831b1a6fcc0e2a2f",
      "0011-analytics": "a8d0447a6ce3a14c",
      "0012-latest-event": "e8795311e9d0a848",
      "0013-course-parts": "8ba28cd76c50da63",
      "0014-site-indexes": "d7cdb0f3b9d6a1b3",
      "0015-currency": "236c80d7e2b669eb",
      "0016-captions": "e923aa1e5751fba6",
      "0017-looks": "69e04f442ca4f01b",
      "0018-logos": "c2ef8b58e3f15788",
      "0019-view-labels": "26088875952628fb",
      "0020-whole-courses": "b37b58627b5fd5f0",
      "0021-previews": "926cf6dc64548ae5",
      "0022-accounts": "add571aa334f98c5",
      "0023-search": "5b62cbc5a709dc4b",
      "0024-newsletters": "1a0e201a501b900a",
      "0025-mail-counts": "d6014034b6ff9778",
      "0026-people": "93bd6bd782abf4c9",
      "0027-replica-identity": "5146a3165b1f20d3",
      "0028-mailing-owners": "2abe96b670a8faa8",
      "0029-roles": "ff70ac8293197f2b",
      "0030-factors": "6b8b1cf35cf5187f",
      "0031-assistants": "a19db01c79de7192",
      "0032-accents": "8a2b6260af181b8b",
      "0033-accents-sooner": "f868fbbee9161224",
      "0034-lists-of-people": "600a68212adafc41",
      "0035-marks-of-members": "3fd40cfe0d46dbe4",
      "0036-long-words": "85142ecbd724fbf7",
      "0037-shorter-writes": "0a2ca32d3489b1fe",
      "0038-search-marks": "0e86111d0c16f18a",
      "0039-normalized-names": "a930676be0609454",
      "0040-time-zones": "df3ce487406f51d0",
      "0041-lower-case-emails": "23cd998c1bce72cb",
      "0042-selling": "0d3c5519a6ae0d57",
      "0043-offers": "51b854371a58fec6",
      "0044-stripe": "33f2b088969ad129",
      "0045-learning": "9872d9c1a607ed1a",
      "0046-sales": "03e7c2887855a40d",
      "0047-named-files": "b819d42aa0e1c2b7",
    }
  `);
});

test('a database from before the baseline is not changed, and the error contains the commands to move its data', async () => {
  await using database = await createEmptyDatabase();
  await database.query(`
    create table migrations (id serial primary key, name text, executed_at timestamptz default now());
    insert into migrations (name) values ('${replaced.first}');
    create table sites (id text)`);
  const server = await runNode(['server/main.ts'], { DATABASE_URL: database.url, SECRET_KEY: testSecretKey });
  expect(server).toEqual({ exitCode: 1, output: expect.stringMatching(/ops backup .* ops restore /) });
  await expect(migrate(database.url)).rejects.toThrow(
    'created by an earlier version that cannot be upgraded in place; nothing was changed',
  );
  expect(await database.query('select name from migrations')).toEqual([{ name: replaced.first }]);
});

test('owners of several sites with one email address become one person with the most recently used password, and stay signed in', async () => {
  await using database = await createEmptyDatabase();
  const names = migrations.map(({ name }) => name);
  await migrate(database.url, names.slice(0, names.indexOf('0026-people')));
  await database.query(`
    insert into owners (site_id, id, email, name, password_hash, created, updated) values
      ('harbour', 'ada-1', 'ada@example.com', 'Ada', 'old', '2026-01-01', '2026-03-01'),
      ('lighthouse', 'ada-2', 'Ada@Example.com', 'Ada M.', 'latest', '2026-02-01', '2026-02-01'),
      ('harbour', 'grace', 'grace@example.com', 'Grace', 'her own', '2026-01-02', '2026-01-02');
    insert into owner_sessions (site_id, id, owner_id, token_hash, expires_at, created, last_used_at) values
      ('harbour', 's1', 'ada-1', 'h1', '2027-01-01', '2026-01-01', '2026-04-01'),
      ('lighthouse', 's2', 'ada-2', 'h2', '2027-01-01', '2026-02-01', '2026-05-01');
    insert into password_resets (site_id, owner_id, token_hash, is_used, expires_at) values
      ('harbour', 'ada-1', 'r1', false, '2027-01-01'), ('harbour', 'grace', 'r2', false, '2027-01-01')`);
  await migrate(database.url);
  expect(await database.query('select id, email, password_hash from people order by id')).toEqual([
    { id: 'ada-2', email: 'ada@example.com', password_hash: 'latest' },
    { id: 'grace', email: 'grace@example.com', password_hash: 'her own' },
  ]);
  expect(
    await database.query('select site_id, person_id, role from site_people order by site_id, person_id'),
  ).toEqual([
    { site_id: 'harbour', person_id: 'ada-2', role: 'owner' },
    { site_id: 'harbour', person_id: 'grace', role: 'owner' },
    { site_id: 'lighthouse', person_id: 'ada-2', role: 'owner' },
  ]);
  expect(await database.query('select id, owner_id from owner_sessions order by id')).toEqual([
    { id: 's1', owner_id: 'ada-2' },
    { id: 's2', owner_id: 'ada-2' },
  ]);
  expect(await database.query('select person_id from password_resets')).toEqual([{ person_id: 'grace' }]);
  // Query of the previous version, whose processes still run during the upgrade.
  const before = await database.query(`
    select s.id, o.email from owner_sessions s join owners o on o.site_id = s.site_id and o.id = s.owner_id
    order by s.id for share of o`);
  expect(before).toEqual(['s1', 's2'].map((id) => ({ id, email: 'ada@example.com' })));
});

test.for([15, 18])(
  'the migration 0041 lower-cases emails of profiles, raises the version of changed sites only, and changes nothing else, on PostgreSQL %i',
  async (version, { skip }) => {
    skip(version === 15 && !hasOldestDatabase);
    skip(version === 18 && process.env.POSTGRES === '15');
    await using oldest = version === 15 ? await startOldestDatabase() : null;
    await using database = await createEmptyDatabase(oldest?.url);
    expect(await database.query('show server_version_num')).toEqual([
      { server_version_num: expect.stringMatching(new RegExp(`^${version}`)) },
    ]);
    const names = migrations.map(({ name }) => name);
    await migrate(database.url, names.slice(0, names.indexOf('0041-lower-case-emails')));
    const given = { mixed: "Ada.O'Neill@Example.COM", lower: 'ada@example.com', none: '' };
    for (const [site, email] of Object.entries(given))
      await database.query(`
        insert into profiles (site_id, name, headline, summary, location, avatar_url, website, github, linkedin, twitter, email,
          cta_text, cta_url, cta_enabled, updated)
        values ('${site}', 'Ada M.', '', '', '', '', '', '', '', '', '${email.replaceAll("'", "''")}', '', '', false, '2026-01-01')`);
    const rows = () =>
      database.query("select to_jsonb(p) - 'email' as rest, email from profiles p order by site_id desc");
    const versions = () =>
      database.query(
        "select site_id, version::integer from collection_state where collection = 'profiles' order by site_id",
      );
    const before = await rows();
    const known = z.array(z.object({ site_id: z.string(), version: z.int() })).parse(await versions());
    await migrate(database.url);
    const expected = ['', "ada.o'neill@example.com", 'ada@example.com'];
    expect(await rows()).toEqual(before.map((row, at) => ({ ...Object(row), email: expected[at] })));
    expect(await versions()).toEqual(
      known.map((one) => (one.site_id === 'mixed' ? { ...one, version: one.version + 1 } : one)),
    );
    expect(await database.query('select id from events')).toEqual([]);
  },
);
