import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { carried, profileColumns, siteColumns } from '../../server/features/moving/carried.ts';
import { exportSite } from '../../server/features/moving/export-site.ts';
import { importArchive } from '../../server/features/moving/import-archive.ts';
import { leftOutColumns, leftOutTables } from '../../server/features/moving/left-out.ts';
import { originalKey } from '../../shared/media/store.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { archiveFrom, archiveOf, filesOf, importBytes, temporaryFile } from '../support/archives.ts';
import { startDemoSite } from '../support/demo-site.ts';
import { formOf, picture } from '../support/pictures.ts';
import { runNode } from '../support/process.ts';

type Files = Map<string, string>;

const rowsOf = async <Row>(app: Pick<TestApp, 'deps'>, query: string) =>
  (await sql.raw<Row>(query).execute(app.deps.database.em.getKysely())).rows;

test('a site that is exported, imported elsewhere and exported again gives the same archive, byte for byte', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  await writeOddRecords(here, here.siteId);
  const archive = await archiveOf(here, here.siteId);

  const imported = await importBytes(there, archive);

  expect(imported.siteId).toBe(here.siteId);
  expect(imported.report.filter(({ outcome, reason }) => outcome !== 'created' || reason)).toEqual([]);
  expect((await archiveOf(there, here.siteId)).equals(archive)).toBe(true);
});

test('an import tells nobody of events, and leaves counts and search as if each record had been written there', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();

  await importBytes(there, await archiveOf(here, here.siteId));

  expect(await rowsOf(there, 'select * from events')).toEqual([]);
  expect(await rowsOf(there, 'select * from graphile_worker._private_jobs')).toEqual([]);
  const counts = 'select collection, public_count from collection_state where public_count > 0 order by 1';
  expect(await rowsOf(there, counts)).toEqual(await rowsOf(here, counts));
  const found = async (app: TestApp) =>
    (await app.get('/api/v1/posts?q=database', { key: await app.seed.key({ siteId: here.siteId }) })).body;
  expect(await found(there)).toMatchObject({ count: expect.toSatisfy((count: number) => count > 0) });
  expect(await found(there)).toEqual(await found(here));
});

test('an archive holds neither keys nor passwords, sessions or webhook secrets', async () => {
  await using app = await startDemoSite();
  const key = await app.seed.key({ siteId: app.siteId });
  const login = await app.seed.owner(app.siteId);
  const files = await filesOf(await archiveOf(app, app.siteId));

  const all = [...files.values()].join('\n');
  expect(all).not.toContain(key.slice(0, 15));
  expect(all).not.toContain(login.email);
  expect(all).not.toMatch(/_hash|_sealed|svc_|whsec_|argon2/);
});

test('media move with a site, their bytes checked, and their smaller sizes are asked for anew', async () => {
  await using here = await startApp();
  await using there = await startApp();
  const siteId = await here.seed.ownSite();
  const key = await here.seed.key({ scopes: ['write:media'] });
  const content = await picture('jpeg', { width: 900, height: 600 });
  const sent = await here.post('/api/v2/media', { key, ...formOf(content, { name: 'bench.jpg' }) });
  const { id } = sent.body as { id: string };
  const archive = await archiveOf(here, siteId);

  const { report } = await importBytes(there, archive);

  expect(report.filter(({ collection }) => collection === 'media')).toEqual([
    { collection: 'media', source_id: id, id, title: 'bench.jpg', outcome: 'created', reason: null },
  ]);
  const bytesOf = async (app: TestApp) =>
    buffer((await app.deps.media.get(originalKey({ site_id: siteId, id }))) ?? Readable.from([]));
  expect((await bytesOf(there)).equals(await bytesOf(here))).toBe(true);
  expect(await rowsOf(there, 'select id, tries from media_to_size')).toEqual([{ id, tries: 0 }]);
  expect((await archiveOf(there, siteId)).equals(archive)).toBe(true);
});

test('every table and column moves with a site, or is named as left out with the reason', async () => {
  await using app = await startApp();
  const columns = await rowsOf<{ table: string; column: string }>(
    app,
    `select c.relname as table, a.attname as column from pg_attribute a
     join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
     where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped order by 1, 2`,
  );
  const moved = new Map<string, Set<string>>([
    ['sites', new Set(Object.keys(siteColumns))],
    ['profiles', new Set(Object.keys(profileColumns))],
  ]);
  for (const { table, columns, fixed = {}, begins = {} } of carried)
    moved.set(table, new Set([...Object.keys(columns), ...Object.keys(fixed), ...Object.keys(begins)]));
  const forgotten = columns.filter(
    ({ table, column }) =>
      !(table in leftOutTables) && !(column in leftOutColumns) && !moved.get(table)?.has(column),
  );
  expect(forgotten).toEqual([]);
  const tables = new Set(columns.map(({ table }) => table));
  expect(Object.keys(leftOutTables).filter((table) => !tables.has(table) || moved.has(table))).toEqual([]);
});

test('a site that is there already is refused, and gets what it lacks when it is named', async () => {
  await using app = await startDemoSite();
  const archive = await archiveOf(app, app.siteId);
  const [post] = await rowsOf<{ id: string; title: string }>(app, 'select id, title from posts order by id');
  await rowsOf(app, `delete from posts where id = '${post?.id}'`);
  const without = await archiveOf(app, app.siteId);

  await expect(importBytes(app, archive)).rejects.toThrow(/is there already: name it with --site/);
  expect((await archiveOf(app, app.siteId)).equals(without)).toBe(true);

  const { report } = await importBytes(app, archive, { siteId: app.siteId });
  expect(report.filter(({ outcome }) => outcome === 'created')).toEqual([
    {
      collection: 'posts',
      source_id: post?.id,
      id: post?.id,
      title: post?.title,
      outcome: 'created',
      reason: null,
    },
  ]);
  expect(new Set(report.map(({ outcome }) => outcome))).toEqual(new Set(['created', 'skipped']));
});

test('a dry run tells the same of each record as the import that follows, and changes nothing', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const archive = await archiveOf(here, here.siteId);

  const dry = await importBytes(there, archive, { dryRun: true });
  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
  const real = await importBytes(there, archive);

  expect(dry.report).toEqual(real.report);
  expect(dry.counts).toEqual(real.counts);
});

test('an import that ended early goes on where it is made again', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const archive = await archiveOf(here, here.siteId);
  const stop = new AbortController();
  const onRecord = ({ collection }: { collection: string }) => {
    if (collection === 'courses') stop.abort(new Error('stopped'));
  };
  const file = await temporaryFile(archive);
  await expect(importArchive(there.deps, file, { onRecord, signal: stop.signal })).rejects.toThrow('stopped');
  expect((await archiveOf(there, here.siteId)).equals(archive)).toBe(false);

  await importBytes(there, archive, { siteId: here.siteId });

  expect((await archiveOf(there, here.siteId)).equals(archive)).toBe(true);
});

test.for([
  ['a byte that was changed', (files: Files): void => change(files, 'posts.jsonl', 'a', 'b')],
  ['a file that is missing', (files: Files): void => void files.delete('lessons.jsonl')],
  ['a file that nobody knows', (files: Files): void => void files.set('more.jsonl', '{}\n')],
  ['no manifest', (files: Files): void => void files.delete('manifest.json')],
] as const)('an archive with %s is refused before anything changes', async ([, damage]) => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const files = await filesOf(await archiveOf(here, here.siteId));
  damage(files);

  await expect(importBytes(there, await archiveFrom(files))).rejects.toThrow(/damaged or none of ours/);

  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
});

test('an archive that ends early, and a file that is none, are refused before anything changes', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const archive = await archiveOf(here, here.siteId);

  for (const file of [archive.subarray(0, archive.length / 2), Buffer.from('no archive'), Buffer.alloc(0)])
    await expect(importBytes(there, file)).rejects.toThrow(/damaged or none of ours/);

  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
});

test('a manifest that would fill the memory is refused unread, however small it is packed', async () => {
  await using there = await startApp();
  const archive = await archiveFrom(new Map([['manifest.json', ' '.repeat(17 * 1024 * 1024)]]));
  expect(archive.length).toBeLessThan(100_000);
  await expect(importBytes(there, archive)).rejects.toThrow('manifest.json is too long');
});

test('a record that breaks a rule is refused by name, and the others arrive', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const files = await filesOf(await archiveOf(here, here.siteId));
  const [first = '', ...others] = (files.get('projects.jsonl') ?? '').trimEnd().split('\n');
  const bad = { ...JSON.parse(first), url: 'javascript:alert(1)', owner: 'me' };
  replace(files, 'projects.jsonl', `${[JSON.stringify(bad), ...others].join('\n')}\n`);

  const { report } = await importBytes(there, await archiveFrom(files));

  const refused = report.filter(({ outcome }) => outcome === 'refused');
  expect(refused).toEqual([
    {
      collection: 'projects',
      source_id: bad.id,
      id: null,
      title: bad.title,
      outcome: 'refused',
      reason: 'url: must be an absolute http or https URL; does not take owner',
    },
  ]);
  expect(await rowsOf(there, 'select id from projects')).toHaveLength(others.length);
});

test('what another site has is left alone: addresses are left empty, and no row of it changes', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  await rowsOf(here, "update sites set subdomain = 'ada', custom_domain = 'ada.example.com'");
  const other = await there.seed.site({ subdomain: 'ada' });
  const before = await archiveOf(there, other);

  const { report } = await importBytes(there, await archiveOf(here, here.siteId));

  expect(report[0]).toMatchObject({
    collection: 'site',
    outcome: 'created',
    reason: "subdomain: ada is another site's, left empty",
  });
  expect(
    await rowsOf(there, `select subdomain, custom_domain from sites where id = '${here.siteId}'`),
  ).toEqual([{ subdomain: null, custom_domain: 'ada.example.com' }]);
  expect((await archiveOf(there, other)).equals(before)).toBe(true);
});

test('a record whose slug is taken gets the next number, and the report says so', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const siteId = await there.seed.ownSite();
  const key = await there.seed.key();
  await there.post('/api/v1/posts', { key, body: { title: 'Mine', slug: 'type-safe-apis' } });

  const { report } = await importBytes(there, await archiveOf(here, here.siteId), { siteId });

  const [renamed] = report.filter(({ outcome, reason }) => outcome === 'created' && reason);
  expect(renamed?.reason).toBe('slug: type-safe-apis is taken, it has type-safe-apis-2');
  expect(await there.get('/api/v1/posts/type-safe-apis-2', { key })).toMatchObject({ status: 200 });
});

test('an export shows the site as it was at one moment, whatever is written meanwhile', async () => {
  await using app = await startDemoSite();
  const archive = await archiveOf(app, app.siteId);
  const writer = new pg.Client({ connectionString: app.databaseUrl });
  await writer.connect();
  const to = new PassThrough();
  let writing: Promise<unknown> | undefined;
  const onProgress = () => {
    writing ??= writer.query('delete from subscribers');
  };

  const [bytes] = await Promise.all([buffer(to), exportSite(app.deps, app.siteId, { to, onProgress })]);
  await writing;
  await writer.end();

  expect(await rowsOf(app, 'select id from subscribers')).toEqual([]);
  expect(bytes.equals(archive)).toBe(true);
});

test('`ops export` and `ops import` move a site from one database to another', async () => {
  await using here = await startDemoSite();
  await using there = await startApp();
  const file = await temporaryFile('');

  const out = await runNode(['server/ops.ts', 'export', '--out', file], { DATABASE_URL: here.databaseUrl });
  expect(out).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(`Exported Ada Marsh (${here.siteId}).`),
  });
  const dry = await runNode(['server/ops.ts', 'import', file, '--dry-run'], {
    DATABASE_URL: there.databaseUrl,
  });
  expect(dry).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/Would be created: \d+; skipped: 0; refused: 0\./),
  });
  const done = await runNode(['server/ops.ts', 'import', file], { DATABASE_URL: there.databaseUrl });
  expect(done).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/^created {3}posts {2}\w{15} {2}"Type-safe/m),
  });
  const again = await runNode(['server/ops.ts', 'import', file], { DATABASE_URL: there.databaseUrl });
  expect(again).toMatchObject({ exitCode: 1, output: expect.stringContaining('name it with --site') });

  expect((await archiveOf(there, here.siteId)).equals(await archiveOf(here, here.siteId))).toBe(true);
});

/** Records whose values are easily changed on their way. */
async function writeOddRecords(app: TestApp, siteId: string) {
  const key = await app.seed.key({ siteId });
  const title = 'Quotes " \\ \u2028 \u0001 é 🪿';
  const body = {
    title,
    content: `a\r\nb\tc${'\u{10FFFF}'}`,
    tags: ['null', '', ' {,} ', '"'],
    is_draft: true,
  };
  const { body: post } = await app.post('/api/v1/posts', { key, body });
  const { id } = post as { id: string };
  await app.patch(`/api/v1/posts/${id}`, {
    key,
    body: { content: '', published_at: '0001-01-01T00:00:00.001Z' },
  });
  await rowsOf(app, `update posts set publish_at = '2099-01-01T00:00:00.120Z' where id = '${id}'`);
  await app.post('/api/v1/courses', { key, body: { title: 'Prices', price: 49.5, estimated_hours: 1e21 } });
  await rowsOf(app, "update courses set price = 10.00 where slug = 'prices'");
}

function change(files: Map<string, string>, name: string, from: string, to: string) {
  files.set(name, (files.get(name) ?? '').replace(from, to));
}

/** Gives a file of an archive other content, and its manifest the checksum. */
function replace(files: Map<string, string>, name: string, content: string) {
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  const file = manifest.files.find((each: { name: string }) => each.name === name);
  file.sha256 = createHash('sha256').update(content).digest('hex');
  file.bytes = Buffer.byteLength(content);
  files.set(name, content);
  files.set('manifest.json', JSON.stringify(manifest));
}
