import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fillWithExample } from '../../server/demo/fill.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { baseline, migrations, replaced } from '../../shared/db/migrations/index.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import { secretOwner } from '../../shared/webhooks/index.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { makeFolder, readRows, runOps, startOps } from '../support/backups.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { keyEndpoints } from '../support/endpoints.ts';
import { createCaller } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';
import { makeDataDir, ready, startEverything } from '../support/start-command.ts';
import { filesBelow } from '../support/stored-keys.ts';

test('a backup during a load of writes is one snapshot, and its restore answers every content endpoint as before', async () => {
  await using app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] } });
  await using folder = await makeFolder();
  const siteId = await app.seed.ownSite();
  await fillWithExample(app.deps, siteId);
  const key = await app.seed.key({ scopes: scopeNames });
  const token = await app.seed.ownerToken();
  const busySite = await app.seed.site({ subdomain: 'busy' });
  const busyKey = await app.seed.key({ siteId: busySite });
  const subscription = { url: 'https://example.com/hook', events: ['content.created'] };
  const subscribed = await app.post('/api/admin/webhooks', { key: token, body: subscription });
  const { id, secret } = subscribed.body as { id: string; secret: string };
  const { databaseUrl, mediaDir } = app;
  const source = { dataDir: folder.at('source'), databaseUrl, mediaDir };

  const writer = keepWriting(async (n) =>
    app.post('/api/v1/posts', { key: busyKey, body: { title: `${n}` } }),
  );
  const made = await runOps(['backup', folder.at('all.tar')], source);
  const written = await writer.stop();
  expect(made).toMatchObject({ exitCode: 0, output: expect.stringContaining('It contains the secret key') });
  expect((await stat(folder.at('all.tar'))).mode & 0o777).toBe(0o600);

  await using database = await createEmptyDatabase();
  const target = { dataDir: folder.at('target'), databaseUrl: database.url };
  const restored = await runOps(['restore', folder.at('all.tar')], target);
  expect(restored).toMatchObject({ exitCode: 0, output: expect.stringContaining('Restore complete.') });

  const counts = await database.query(`
    select (select count(*)::int from posts where site_id = '${busySite}') as posts,
      (select count(*)::int from events where site_id = '${busySite}') as events,
      (select public_count from collection_state where site_id = '${busySite}' and collection = 'posts') as counted`);
  const [{ posts }] = counts as [{ posts: number }];
  expect(counts).toEqual([{ posts, events: posts, counted: posts }]);
  expect(written).toBeGreaterThan(posts);

  await using server = await startServerProcess(database.url, withoutLimits);
  await using before = await startServerProcess(app.databaseUrl, withoutLimits);
  const request = async (baseUrl: string) => {
    const call = createCaller(baseUrl);
    const reads = keyEndpoints.filter(({ method }) => method === 'GET');
    return Promise.all(
      reads.map(async ({ title, path }) => {
        const { status, body, headers } = await call('GET', path, { key });
        return [title, status, body, headers.get('etag')];
      }),
    );
  };
  const answers = await request(server.baseUrl);
  expect(answers).toEqual(await request(before.baseUrl));
  expect(answers.filter(([, status]) => status === 200).length).toBeGreaterThan(15);
  const [sealed] = (await database.query(
    `select secret_sealed from webhook_subscriptions where id = '${id}'`,
  )) as [{ secret_sealed: string }];
  const box = createSecretBox(testSecretKey, () => new Uint8Array());
  expect(box.open(sealed.secret_sealed, secretOwner(siteId, id))).toBe(secret);
});

test('a restore contains every row of every table, including values that the database computes', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  const siteId = await app.seed.ownSite();
  await fillWithExample(app.deps, siteId);
  const title = 'Tab\tnewline\nbackslash \\ quote " euro € 𝄞 \\N \\.';
  await app.post('/api/v1/posts', { key: await app.seed.key(), body: { title, tags: ['a,b', '{"', ''] } });
  await using database = await createEmptyDatabase();

  const { databaseUrl, mediaDir } = app;
  await runOps(['backup', folder.at('a.tar')], { dataDir: folder.at('a'), databaseUrl, mediaDir });
  await runOps(['restore', folder.at('a.tar')], { dataDir: folder.at('b'), databaseUrl: database.url });

  const rows = await readRows(app.databaseUrl);
  expect(rows.page_views?.length).toBeGreaterThan(0);
  expect(await readRows(database.url)).toEqual(rows);
  const schema = `
    select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal order by 1`;
  expect(await database.query(schema)).toEqual(await app.deps.database.em.execute(schema));
});

test('a backup completes even if its output is not read', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  await fillWithExample(app.deps, await app.seed.ownSite());
  const { databaseUrl, mediaDir } = app;
  const source = { dataDir: folder.at('a'), databaseUrl, mediaDir };

  await using running = startOps(['backup', folder.at('a.tar')], source);
  running.stopReading();

  expect(await running.ended()).toEqual({ exitCode: 0, output: '' });
  expect(await readdir(folder.at())).toEqual(['a.tar']);
  expect(await runOps(['restore', folder.at('a.tar'), '--check'], source)).toMatchObject({ exitCode: 0 });
});

test('a restore counts the work that a worker would continue: deliveries, newsletters and scheduled drafts', async () => {
  await using app = await startApp({ smtpUrl: 'smtp://127.0.0.1:9' });
  await using folder = await makeFolder();
  const token = await app.seed.ownerToken();
  const { studio } = ownerClient(app.baseUrl, token);
  const body = { url: 'https://93.184.215.14/hook', events: ['content.created'] };
  await app.post('/api/admin/webhooks', { key: token, body });
  const send_at = '2099-01-01T00:00:00Z';
  const { id } = await studio.posts.create.mutate({ title: 'To be published', is_draft: true });
  await studio.posts.schedule.mutate({ id, publish_at: new Date(send_at) });
  await studio.mailings.create.mutate({ post_id: id, send_at: new Date(send_at) });
  const { databaseUrl, mediaDir } = app;
  await runOps(['backup', folder.at('a.tar')], { dataDir: folder.at('a'), databaseUrl, mediaDir });

  await using database = await createEmptyDatabase();
  const target = { dataDir: folder.at('b'), databaseUrl: database.url };
  expect(await runOps(['restore', folder.at('a.tar')], target)).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(
      'Pending at the time of the backup: 1 webhook events and deliveries, 1 newsletters, 1 scheduled posts and pages.',
    ),
  });
});

test('the installation that `pnpm start` runs is backed up while it runs, and starts elsewhere from the backup', async () => {
  await using folder = await makeFolder();
  const [dataDir, otherDir] = [await makeDataDir(), await makeDataDir()];
  await using first = await startEverything({ dataDir });
  await first.says(ready);
  const [, key = ''] = await first.says(/API key {2}(svc_live_\S{38})\n/);
  const sent = await createCaller(first.baseUrl)('POST', '/api/v2/media', {
    key,
    ...formOf(await pictureElement('png')),
  });
  expect(sent.status).toBe(201);
  const { id } = sent.body as { id: string };
  const own = (await filesBelow(`${dataDir}/media`)).find((file) => file.includes(id)) ?? '';
  const foreign = ['incoming/half', '.DS_Store'];
  for (const file of foreign) await writeFile(`${dataDir}/media/${file}`, 'half');

  const made = await runOps(['backup', folder.at('all.tar')], { dataDir, secretKey: '' });
  const restored = await runOps(['restore', folder.at('all.tar')], { dataDir: otherDir, secretKey: '' });
  expect([made.exitCode, restored.exitCode, restored.output]).toEqual([0, 0, expect.anything()]);

  await using second = await startEverything({ dataDir: otherDir });
  await second.says(ready);
  const listed = await createCaller(second.baseUrl)('GET', '/api/v1/posts', { key });
  expect(listed).toEqual(await createCaller(first.baseUrl)('GET', '/api/v1/posts', { key }));
  expect(listed.status).toBe(200);
  const kept = async (file: string) => [
    await readFile(`${dataDir}/${file}`, 'utf8'),
    await readFile(`${otherDir}/${file}`, 'utf8'),
  ];
  expect(new Set(await kept('secret-key')).size).toBe(1);
  expect(new Set(await kept(`media/${own}`)).size).toBe(1);
  const files = await filesBelow(`${otherDir}/media`);
  expect(foreign.filter((file) => files.includes(file))).toEqual([]);
});

test('a backup of an earlier version is migrated during the restore', async () => {
  await using folder = await makeFolder();
  await using old = await createEmptyDatabase();
  await using database = await createEmptyDatabase();
  // A fixed version, because later ones may require other columns in the rows below.
  const names = migrations.map(({ name }) => name);
  const earlier = names.slice(0, names.indexOf('0028-mailing-owners'));
  expect(await migrate(old.url, earlier)).toEqual(earlier);
  await old.query(`
    insert into sites (id, name, plan, mcp_enabled, language, theme, created, updated)
      values ('s1', 'Old', 'pro', true, 'en', '{}', now(), now());
    insert into skills (site_id, id, name, category, proficiency, visibility, sort_order, created, updated)
      select 's1', 'skill' || n, 'Skill ' || n, '', '', 'public', n, now(), now() from generate_series(1, 3) n`);

  await runOps(['backup', folder.at('a.tar')], { dataDir: folder.at('a'), databaseUrl: old.url });
  const restored = await runOps(['restore', folder.at('a.tar')], {
    dataDir: folder.at('b'),
    databaseUrl: database.url,
  });

  expect(restored).toMatchObject({ exitCode: 0 });
  expect(await database.query('select public_count, version from collection_state')).toEqual([
    { public_count: 3, version: '1' },
  ]);
  expect(await migrate(database.url)).toEqual([]);
});

test('a backup from before the baseline of migrations is restored completely, including all parts in the trash', async () => {
  await using folder = await makeFolder();
  await using old = await createEmptyDatabase();
  await using database = await createEmptyDatabase();
  await migrate(
    old.url,
    baseline.map(({ name }) => name),
  );
  await old.query(`
    alter table trash add column parts jsonb not null default '[]';
    delete from migrations;
    insert into migrations (name) values ('${replaced.first}'), ('${replaced.last}');
    insert into trash (site_id, collection, id, title, deleted, actor, record)
      values ('s1', 'courses', 'c1', 'Course', now(), '{}', '{}');
    insert into trash_parts (site_id, collection, id, whole_collection, whole_id, record)
      select 's1', 'modules', 'm' || n, 'courses', 'c1', '{}' from generate_series(1, 3) n;
    create table page_views_2026_01_01 partition of page_views for values from ('2026-01-01') to ('2026-01-02')`);
  const { trash, trash_parts, owners: _, ...rows } = await readRows(old.url);

  await runOps(['backup', folder.at('a.tar')], { dataDir: folder.at('a'), databaseUrl: old.url });
  const restored = await runOps(['restore', folder.at('a.tar')], {
    dataDir: folder.at('b'),
    databaseUrl: database.url,
  });

  expect(restored).toMatchObject({ exitCode: 0 });
  const now = await readRows(database.url);
  const addedSince = Object.keys(now).filter((table) => !(table in rows));
  expect(now).toEqual({
    ...rows,
    ...Object.fromEntries(addedSince.map((table) => [table, []])),
    trash: trash?.map((row) => ({ ...Row.parse(row), parts: undefined })),
    trash_parts: trash_parts?.map((row) => ({ ...Row.parse(row), content: null })),
  });
  expect(await migrate(database.url)).toEqual([]);
});

const Row = z.looseObject({});

/** Writes in sequence until stopped, and returns the number of writes. */
function keepWriting(write: (n: number) => Promise<{ status: number }>) {
  let stopped = false;
  let written = 0;
  const running = (async () => {
    while (!stopped) {
      const { status } = await write(written);
      if (status === 201) written += 1;
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      return written;
    },
  };
}
