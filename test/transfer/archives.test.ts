import { lstat, readdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { archiveTables, profileColumns, siteColumns } from '../../server/transfer/archive/archive-tables.ts';
import { exportSite } from '../../server/transfer/archive/export-site.ts';
import { importArchive } from '../../server/transfer/archive/import-archive.ts';
import { originalKey } from '../../shared/media/store.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  archiveFrom,
  archiveOf,
  filesOf,
  folderOf,
  importBytes,
  replaceFile,
  rowsOf,
  temporaryFile,
} from '../support/archives.ts';
import { startDemoSite } from '../support/demo-site.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { runNode } from '../support/process.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { excludedColumns, excludedTables } from './excluded-tables.ts';

// The example site. No test changes it; tests with changes start their own.
const here = await startDemoSite();
const archive = await archiveOf(here, here.siteId);
afterAll(() => here[Symbol.asyncDispose]());

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

test('an archive contains the time zone of its site; an older one without it creates a site in UTC', async () => {
  await using from = await startApp();
  const siteId = await from.seed.site();
  await from.deps.database.em.execute(`update sites set time_zone = 'America/Sao_Paulo'`);
  const archive = await archiveOf(from, siteId);
  const files = await filesOf(archive);
  const { time_zone, ...older } = JSON.parse(files.get('manifest.json') ?? '{}').site;
  expect(time_zone).toBe('America/Sao_Paulo');
  const manifest = { ...JSON.parse(files.get('manifest.json') ?? '{}'), site: older };
  const before = await archiveFrom(new Map([...files, ['manifest.json', JSON.stringify(manifest)]]));
  for (const [bytes, zone] of [[archive, 'America/Sao_Paulo'] as const, [before, 'UTC'] as const]) {
    await using there = await startApp();
    await importBytes(there, bytes);
    expect(await rowsOf(there, 'select time_zone from sites')).toEqual([{ time_zone: zone }]);
  }
});

test('purchases of an archive from before they had a time of their last change get that of the purchase', async () => {
  const files = await filesOf(archive);
  const purchases = (files.get('purchases.jsonl') ?? '')
    .replaceAll(/"updated":"[^"]+",?/g, '')
    .replaceAll(',}', '}');
  replaceFile(files, 'purchases.jsonl', purchases);
  await using there = await startApp();
  await importBytes(there, await archiveFrom(files));
  const rows = await rowsOf<{ isCreated: boolean }>(
    there,
    'select updated = created as "isCreated" from purchases',
  );
  expect(new Set(rows.map(({ isCreated }) => isCreated))).toEqual(new Set([true]));
});

test('a page keeps a slug that became reserved after its archive was made; another reserved slug gets a number', async () => {
  await using from = await startApp();
  const siteId = await from.seed.site();
  const { studio } = ownerClient(from.baseUrl, await from.seed.ownerToken(siteId));
  const slugs = ['buy', 'hooks', 'certificates', 'studio'];
  for (const slug of slugs) {
    const { id } = await studio.pages.create.mutate({ title: slug, visibility: 'public', is_draft: false });
    await from.deps.database.em.execute('update pages set slug = ? where id = ?', [slug, id]);
  }
  await using there = await startApp();
  await importBytes(there, await archiveOf(from, siteId));
  const pages = await rowsOf(there, 'select slug from pages order by title');
  expect(pages).toEqual(['buy', 'certificates', 'hooks', 'studio-2'].map((slug) => ({ slug })));
  expect((await createVisitor(there.baseUrl)('/buy')).text).toContain('<h1>buy</h1>');
});

test('an import of an archive fires no events, and updates counts and search as writes do', async () => {
  await using there = await startApp();

  await importBytes(there, archive);

  expect(await rowsOf(there, 'select * from events')).toEqual([]);
  expect(await rowsOf(there, 'select * from graphile_worker._private_jobs')).toEqual([]);
  const counts = 'select collection, public_count from collection_state where public_count > 0 order by 1';
  expect(await rowsOf(there, counts)).toEqual(await rowsOf(here, counts));
  const found = async (app: TestApp) =>
    (await app.get('/api/v1/posts?q=database', { key: await app.seed.key({ siteId: here.siteId }) })).body;
  expect(await found(there)).toMatchObject({ count: expect.toSatisfy((count: number) => count > 0) });
  expect(await found(there)).toEqual(await found(here));
});

test('an archive contains no keys, passwords, sessions or webhook secrets', async () => {
  await using app = await startDemoSite();
  const key = await app.seed.key({ siteId: app.siteId });
  const login = await app.seed.owner(app.siteId);
  const files = await filesOf(await archiveOf(app, app.siteId));

  const all = [...files.values()].join('\n');
  expect(all).not.toContain(key.slice(0, 15));
  expect(all).not.toContain(login.email);
  expect(all).not.toMatch(/_hash|_sealed|svc_|whsec_|argon2/);
});

test('media are imported with verified bytes, and their renditions are queued again', async () => {
  await using here = await startApp();
  await using there = await startApp();
  const siteId = await here.seed.ownSite();
  const key = await here.seed.key({ scopes: ['write:media'] });
  const content = await pictureElement('jpeg', { width: 900, height: 600 });
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

test('every table and column is exported to archives, or listed as excluded with a reason', async () => {
  await using app = await startApp();
  const columns = await rowsOf<{ table: string; column: string }>(
    app,
    `select c.relname as table, a.attname as column from pg_attribute a
     join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
     where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by 1, 2`,
  );
  const moved = new Map<string, Set<string>>([
    ['sites', new Set(Object.keys(siteColumns))],
    ['profiles', new Set(Object.keys(profileColumns))],
    // The manifest contains the key in plain text, because each installation seals it with its own SECRET_KEY.
    ['mail_keys', new Set(['key_sealed'])],
  ]);
  for (const { table, columns, fixed = {}, begins = {} } of archiveTables)
    moved.set(table, new Set([...Object.keys(columns), ...Object.keys(fixed), ...Object.keys(begins)]));
  const forgotten = columns.filter(
    ({ table, column }) =>
      !(table in excludedTables) && !(column in excludedColumns) && !moved.get(table)?.has(column),
  );
  expect(forgotten).toEqual([]);
  const tables = new Set(columns.map(({ table }) => table));
  expect(Object.keys(excludedTables).filter((table) => !tables.has(table) || moved.has(table))).toEqual([]);
});

test('importing an existing site is refused, except with --site, which adds missing records', async () => {
  await using app = await startDemoSite();
  const archive = await archiveOf(app, app.siteId);
  const [post] = await rowsOf<{ id: string; title: string }>(app, 'select id, title from posts order by id');
  await rowsOf(app, `delete from posts where id = '${post?.id}'`);
  const without = await archiveOf(app, app.siteId);

  await expect(importBytes(app, archive)).rejects.toThrow(/already exists: .* --site/);
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

test('a dry run reports the same for each record as the import that follows, and changes nothing', async () => {
  await using there = await startApp();

  const dry = await importBytes(there, archive, { dryRun: true });
  expect(await rowsOf(there, 'select id from sites')).toEqual([]);
  const real = await importBytes(there, archive);

  expect(dry.report).toEqual(real.report);
  expect(dry.counts).toEqual(real.counts);
});

test('an import that was stopped continues when it is run again', async () => {
  await using there = await startApp();
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

test('an export is a snapshot of the site, whatever is written at the same time', async () => {
  await using app = await startDemoSite();
  const archive = await archiveOf(app, app.siteId);
  const writer = new pg.Client({ connectionString: app.databaseUrl });
  await writer.connect();
  const to = new PassThrough();
  let writing: Promise<unknown> | undefined;
  const onProgress = () => {
    writing ??= writer.query('delete from subscribers');
  };

  const [bytes] = await Promise.all([buffer(to), exportSite(app.deps, app.siteId, to, onProgress)]);
  await writing;
  await writer.end();

  expect(await rowsOf(app, 'select id from subscribers')).toEqual([]);
  expect(bytes.equals(archive)).toBe(true);
});

test('`ops export` and `ops import` move a site from one database to another', async () => {
  await using there = await startApp();
  await there.seed.site();
  const file = await temporaryFile('');

  const out = await runNode(['server/ops.ts', 'export', '--out', file], environmentOf(here));
  expect(out).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining(`Exported Ada Marsh (${here.siteId}).`),
  });
  const dry = await runNode(['server/ops.ts', 'import', file, '--dry-run'], environmentOf(there));
  expect(dry).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/Would be created: \d+; skipped: 0; refused: 0\./),
  });
  const done = await runNode(['server/ops.ts', 'import', file], environmentOf(there));
  expect(done).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/^created {3}posts {2}\w{15} {2}"Type-safe/m),
  });
  // The installation already has another site, so visitors need a domain or subdomain to reach this one.
  expect(done.output).toContain(
    `Invite its owner: npx -y pnpm ops people create EMAIL --site ${here.siteId}`,
  );
  expect(done.output).toContain(
    'Ada Marsh has no domain or subdomain, so visitors cannot reach it while there are several sites',
  );
  const again = await runNode(['server/ops.ts', 'import', file], environmentOf(there));
  expect(again).toMatchObject({ exitCode: 1, output: expect.stringContaining('import with --site') });

  expect((await archiveOf(there, here.siteId)).equals(archive)).toBe(true);
});

test('`ops import --drafts` imports public content of another system as drafts', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const folder = await folderOf({ 'a.md': '---\ntitle: Public\ndate: 2024-01-02\n---\nText\n' });
  const args = ['server/ops.ts', 'import', folder, '--site', siteId];
  const done = await runNode([...args, '--drafts'], environmentOf(app));
  expect(done).toMatchObject({ exitCode: 0, output: expect.stringContaining('Created: 1;') });
  expect(await rowsOf(app, `select title, is_draft from posts where site_id = '${siteId}'`)).toEqual([
    { title: 'Public', is_draft: true },
  ]);
});

test('`ops export` reports why it cannot write a file, and keeps the existing file', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ siteId, scopes: ['write:media'] });
  await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
  await rm(path.join(app.mediaDir, siteId), { recursive: true });
  const file = await temporaryFile('an earlier archive');
  const folder = path.dirname(file);
  const device = path.join(folder, 'device');
  await symlink('/dev/null', device);

  for (const [out, why] of [
    [file, 'are gone'],
    [folder, 'is a folder: give the name of a file.'],
    [device, 'is not a regular file: omit --out'],
    [path.join(folder, 'none', 'a'), 'no such file or folder.'],
  ] as const)
    expect(await runNode(['server/ops.ts', 'export', siteId, '--out', out], environmentOf(app))).toEqual({
      exitCode: 1,
      output: expect.stringMatching(new RegExp(`^[^\n]*${why}[^\n]*\n$`)),
    });

  expect(await readdir(folder)).toEqual(['device', 'site.tar.gz']);
  expect((await lstat(device)).isSymbolicLink()).toBe(true);

  expect(await readFile(file, 'utf8')).toBe('an earlier archive');
});

/** Returns the environment variables that select the installation of a command. */
const environmentOf = ({ databaseUrl, mediaDir }: TestApp) => ({
  DATABASE_URL: databaseUrl,
  MEDIA_URL: pathToFileURL(mediaDir).href,
});

/** Writes records with values that an export or import could easily change. */
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
