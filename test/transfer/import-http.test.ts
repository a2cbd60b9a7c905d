import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { ImportLine, importExport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp, unlimited } from '../support/app.ts';
import { archiveOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { openRaw } from '../support/raw-http.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

const samples = path.join(import.meta.dirname, '../samples');

async function ownerOf(app: TestApp) {
  const siteId = await app.seed.ownSite();
  const token = await app.seed.ownerToken();
  const { studio } = ownerClient(app.baseUrl, token);
  return { siteId, token, studio };
}

/** Sends a file to a ticket's address. Returns the lines of the report. */
async function send(app: TestApp, url: string, body: string | Buffer) {
  const answer = await fetch(app.baseUrl + url, { method: 'POST', body: new Uint8Array(Buffer.from(body)) });
  expect(answer.status).toBe(200);
  return linesOf(await answer.text());
}

const linesOf = (told: string) =>
  told
    .split('\n')
    .filter(Boolean)
    .map((line) => ImportLine.parse(JSON.parse(line)));

const ghost = () => readFile(path.join(samples, 'ghost.json'));

const countRows = async (app: TestApp, table: string) =>
  (await app.deps.database.em.execute(`select from ${table}`)).length;

/** Returns the open transfer files of this process. They have no name, so they are found in Linux's `/proc`. */
async function left(): Promise<string[]> {
  const open = await readdir('/proc/self/fd');
  const names = await Promise.all(open.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return names.filter((name) => /creator-content-(im|ex)port-.* \(deleted\)$/.test(name));
}

test('an owner downloads the archive of the site, once per ticket', async () => {
  await using app = await startApp();
  const { siteId, studio } = await ownerOf(app);
  await studio.posts.create.mutate({ title: 'On its way' });

  const { url, expires_at } = await studio.transfers.export.mutate();
  const answer = await fetch(app.baseUrl + url);

  expect(expires_at.getTime() - app.clock.now().getTime()).toBe(importExport.ticketMs);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/gzip',
    'content-disposition': expect.stringMatching(/^attachment; filename="site-\d{4}-\d\d-\d\d\.tar\.gz"$/),
    'cache-control': 'no-store',
  });
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(await archiveOf(app, siteId));
  expect(await app.get(url)).toEqual(failure(404, 'not_found'));
});

test('a ticket is valid for a minute, for its purpose, its site and no domain of another site', async () => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const other = await app.seed.site({ custom_domain: 'other.test' });
  const notFound = failure(404, 'not_found');
  const toExport = (await studio.transfers.export.mutate()).url;
  const toCheck = (await studio.transfers.check.mutate()).url;
  const [token = ''] = toExport.split('/').slice(-1);
  expect(await app.post(toExport, { body: '{}' })).toEqual(notFound);
  expect(await app.get(toCheck)).toMatchObject({ status: 404 });
  expect(await app.get(`/studio/moves/${other}/${token}`)).toEqual(notFound);
  expect(await app.get(`/studio/moves/${other}/nothing`)).toEqual(notFound);
  expect(await app.get(toExport, { headers: { host: 'other.test' } })).toEqual(notFound);
  expect(await app.post(toCheck, { headers: { host: 'other.test' }, body: '{}' })).toEqual(notFound);
  app.clock.advance({ ms: importExport.ticketMs });
  expect(await app.get(toExport)).toEqual(notFound);
  expect((await fetch(app.baseUrl + (await studio.transfers.export.mutate()).url)).status).toBe(200);
  expect(await countRows(app, 'move_tickets')).toBe(0);
});

test('HEAD on a ticket returns 404 and does not use it up', async () => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const { url } = await studio.transfers.export.mutate();
  for (const path of [url, `${url}0`]) {
    const { status, headers } = await fetch(app.baseUrl + path, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
  }
  expect((await fetch(app.baseUrl + url)).status).toBe(200);
});

test('a file can be checked without changes, imported, and is skipped if it is sent again', async () => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const file = await ghost();

  const checked = await send(app, (await studio.transfers.check.mutate()).url, file);
  expect(await countRows(app, 'posts')).toBe(0);
  const done = await send(app, (await studio.transfers.import.mutate()).url, file);
  const again = await send(app, (await studio.transfers.import.mutate()).url, file);

  const withoutIds = (lines: ImportLine[]) =>
    lines.map((line) => ('record' in line ? { ...line.record, id: null } : line));
  expect(withoutIds(done)).toEqual(withoutIds(checked));
  expect(checked.at(-1)).toEqual({ counts: { created: 9, skipped: 4, refused: 2 } });
  expect(again.at(-1)).toEqual({ counts: { created: 0, skipped: 13, refused: 2 } });
  const { items } = await studio.posts.list.query({ per_page: 1 });
  const [id = ''] = items.map((post) => String(post.id));
  const history = await studio.posts.revisions.query({ id, page: 1, per_page: 5 });
  expect(history.items[0]?.actor).toMatchObject({ kind: 'owner', name: 'Olive Owner' });
});

test('an archive of another site, a WordPress export and a Markdown folder are imported in the same way', async () => {
  await using from = await startApp();
  await using app = await startApp();
  const there = await ownerOf(from);
  await there.studio.posts.create.mutate({ title: 'From elsewhere' });
  const { studio } = await ownerOf(app);
  const moved = async (file: string | Buffer) =>
    (await send(app, (await studio.transfers.import.mutate()).url, file)).at(-1);
  expect(await moved(await archiveOf(from, there.siteId))).toEqual({
    counts: { created: 1, skipped: 1, refused: 0 },
  });
  expect(await moved(await readFile(path.join(samples, 'wordpress.xml')))).toMatchObject({
    counts: { created: expect.any(Number) },
  });
  const folder = path.join(samples, 'markdown');
  const tar = pack();
  for (const name of ['2024/2024-02-20-second-loaf.md', './bread.md', 'crumb.jpg', 'idea.md'])
    tar.entry({ name, mtime: new Date('2026-01-01') }, await text(createReadStream(path.join(folder, name))));
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  expect(await moved(Buffer.concat(chunks))).toEqual({ counts: { created: 3, skipped: 1, refused: 0 } });
  const { items } = await studio.posts.list.query({ q: 'loaf' });
  expect(items.length).toBeGreaterThan(0);
});

test.for([
  ['mode=draft', 'mode'],
  ['mode=', 'mode'],
  ['answers=yes', 'answers'],
])('a ticket whose address was changed to %s imports nothing', async ([query, field]) => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const { url } = await studio.transfers.import.mutate();
  expect(await app.post(`${url}?${query}`, { body: (await ghost()).toString() })).toEqual(
    failure(400, 'validation_failed', `${field}: must be as in the address of the ticket`),
  );
  expect(await countRows(app, 'posts')).toBe(0);
});

test('a ticket with mode `drafts` imports content of other systems as drafts, and has no effect on an archive', async () => {
  await using from = await startApp();
  await using app = await startApp();
  const there = await ownerOf(from);
  await there.studio.posts.create.mutate({ title: 'From an archive' });
  const { studio } = await ownerOf(app);
  const folder = pack();
  const matter = (title: string) => `---\ntitle: ${title}\ndate: 2024-01-02\n---\nText\n`;
  folder.entry({ name: 'a.md' }, matter('From a folder'));
  folder.entry({ name: 'b.md' }, '---\ntitle: Later\ndate: 2099-01-02\n---\nText\n');
  folder.finalize();
  const markdown = await buffer(folder);

  const settings = { mode: 'drafts' } as const;
  const checked = await send(app, (await studio.transfers.check.mutate(settings)).url, markdown);
  const done = await send(app, (await studio.transfers.import.mutate(settings)).url, markdown);
  const archive = await archiveOf(from, there.siteId);
  await send(app, (await studio.transfers.import.mutate({ ...settings, fetch_media: true })).url, archive);

  const reasons = (lines: ImportLine[]) =>
    lines.flatMap((line) => ('record' in line ? line.record.reason : []));
  expect(reasons(done)).toEqual([
    null,
    'Imported as a draft: its publication was scheduled for 2099-01-02 12:00 UTC',
  ]);
  expect(reasons(checked)).toEqual(reasons(done));
  const { items } = await studio.posts.list.query({ sort: 'title' });
  expect(items.map(({ title, is_draft, publish_at }) => [title, is_draft, publish_at])).toEqual([
    ['From a folder', true, null],
    ['From an archive', false, null],
    ['Later', true, null],
  ]);
  expect(await refusal(studio.transfers.import.mutate({ mode: 'public' as 'drafts' }))).toMatchObject({
    code: 'validation_failed',
  });
});

test.for([
  ['of no system', 'Dear diary', /neither an archive of a site, nor an export/],
  ['that breaks off', '{"db":[{"data":{"posts":[{"id":', /./],
  ['of nothing but the beginning of an archive', '\x1f\x8b\x08', /damaged or not from this service/],
] as const)('the last line of the report states the error of a file %s', async ([, file, message]) => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const told = await send(app, (await studio.transfers.import.mutate()).url, Buffer.from(file, 'latin1'));
  expect(told.at(-1)).toEqual({
    error: expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) }),
  });
});

test('an import stops when its client disconnects, and importing the same file again continues it', async () => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const posts = Array.from({ length: 3_000 }, (_, at) => ({
    id: `post${at}`,
    title: `Post ${at}`,
    slug: `post-${at}`,
    html: '<p>Words</p>',
    status: 'published',
    type: 'post',
    published_at: '2024-01-01T00:00:00.000Z',
    created_at: '2024-01-01T00:00:00.000Z',
    updated_at: '2024-01-01T00:00:00.000Z',
  }));
  const file = JSON.stringify({ db: [{ meta: {}, data: { posts } }] });
  const before = await left();

  const leaving = new AbortController();
  const first = await fetch(app.baseUrl + (await studio.transfers.import.mutate()).url, {
    method: 'POST',
    body: file,
    signal: leaving.signal,
  });
  const told = first.body?.pipeThrough(new TextDecoderStream()).getReader();
  // Skips heartbeats, which the server sends before the first record.
  for (let part = await told?.read(); part?.value?.includes('created') === false; part = await told?.read());
  leaving.abort();
  await eventually(async () => ((await left()).length === before.length ? true : null));
  const stored = await countRows(app, 'posts');

  expect(stored).toBeGreaterThan(0);
  expect(stored).toBeLessThan(posts.length);
  const rest = await send(app, (await studio.transfers.import.mutate()).url, file);
  expect(rest.at(-1)).toEqual({ counts: { created: posts.length - stored, skipped: stored, refused: 0 } });
});

test('only one transfer of a site runs at a time', async () => {
  await using app = await startApp();
  const { studio } = await ownerOf(app);
  const { url } = await studio.transfers.import.mutate();
  using slow = await openRaw(app.baseUrl);
  slow.send(`POST ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"db"`);
  await eventually(async () => ((await countRows(app, 'move_tickets')) === 0 ? true : null));
  expect(await app.get((await studio.transfers.export.mutate()).url)).toEqual(failure(409, 'transfer_busy'));
  expect(await app.post((await studio.transfers.check.mutate()).url, { body: '{}' })).toEqual(
    failure(409, 'transfer_busy'),
  );
});

const short = { stalledMs: 300, maxMs: 60_000, minBytesPerSecond: 1 };

test('an import that receives no more bytes is stopped, and leaves no files', async () => {
  await using app = await startApp({ timeouts: { transfer: short } });
  const { studio } = await ownerOf(app);
  const before = await left();
  const { url } = await studio.transfers.import.mutate();
  using slow = await openRaw(app.baseUrl);
  slow.send(`POST ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"db"`);
  expect(await slow.replies(1)).toMatchObject([
    failure(400, 'invalid_request', 'invalid request body: not received in time'),
  ]);
  expect(await left()).toEqual(before);
});

test('an import may take longer than other requests as long as bytes arrive', async () => {
  const requestMs = 1_500;
  await using app = await startApp({ timeouts: { requestMs } });
  const { studio } = await ownerOf(app);
  const { url } = await studio.transfers.import.mutate();
  const file = await ghost();
  const began = performance.now();
  const slowly = new ReadableStream({
    async pull(controller) {
      const isLate = performance.now() - began > 1.5 * requestMs;
      const sent = isLate ? file.length : 10;
      controller.enqueue(new Uint8Array(file.subarray(at, at + sent)));
      at += sent;
      if (at >= file.length) controller.close();
      await new Promise((resolve) => setTimeout(resolve, 10));
    },
  });
  let at = 0;
  const init = { method: 'POST', body: slowly, duplex: 'half' } as const;
  const answer = await fetch(app.baseUrl + url, init);
  expect(linesOf(await answer.text()).at(-1)).toMatchObject({ counts: { created: 9 } });
});

test('an export whose client stops reading is stopped, and leaves no files', async () => {
  await using app = await startApp({ timeouts: { transfer: short } });
  const { token, studio } = await ownerOf(app);
  const noise = await pictureElement('png', { width: 60, height: 60 });
  const large = Buffer.concat([Buffer.from('%PDF-1.7\n'), app.deps.randomBytes(30_000_000), noise]);
  expect((await app.post('/api/admin/media', { key: token, ...formOf(large) })).status).toBe(201);
  const before = await left();
  const { url } = await studio.transfers.export.mutate();
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await eventually(async () => ((await left()).length > before.length ? true : null));
  await eventually(async () => ((await left()).length === before.length ? true : null));
  socket.destroy();
});

test('tickets count in the moderate tier, and each transfer is noted in the audit log', async () => {
  await using app = await startApp({ limits: { ...unlimited, moderate: { perMinute: 10, burst: 5 } } });
  const { studio } = await ownerOf(app);
  for (const move of ['export', 'check', 'import', 'check', 'export'] as const) {
    app.clock.advance({ ms: 1 });
    await studio.transfers[move].mutate();
  }
  expect(await refusal(studio.transfers.export.mutate())).toMatchObject({ code: 'rate_limited' });
  const { items } = await studio.audit.list.query({});
  expect(items.map(({ action, actor }) => [action, actor.name])).toEqual(
    ['export', 'check', 'import', 'check', 'export'].map((move) => [
      `studio.transfers.${move}`,
      'Olive Owner',
    ]),
  );
});
