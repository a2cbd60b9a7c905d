import { once } from 'node:events';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { startFauxqs } from 'fauxqs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openObjectStore } from '../../shared/media/open-store.ts';
import { giveUp, noteUnnamed, removeDue } from '../../shared/media/removals.ts';
import type { ObjectStore } from '../../shared/media/store.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { filesBelow, keysOfBucket } from '../support/stored-keys.ts';

// Both kinds of stores: a directory, and an S3-compatible service over HTTP.

const directory = await mkdtemp(join(tmpdir(), 'creator-content-store-'));
const service = await startFauxqs({ port: 0, logger: false });
for (const bucket of ['media', 'shared', 'uploads', 'removals']) service.createBucket(bucket);
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const bucketUrl = (path: string) =>
  `http://key:se%2Fcret@127.0.0.1:${service.port}/${path}?region=eu-central-1`;

/** A prefix with characters that have a meaning in URLs. */
const oddPrefix = '100% (old)+new!*/ü';

const stores: readonly [string, ObjectStore, () => Promise<string[]>][] = [
  ['a directory', openObjectStore(pathToFileURL(directory).href), () => filesBelow(directory)],
  ['a bucket', openObjectStore(bucketUrl('media')), () => keysOfBucket(bucketUrl('media'))],
  [
    'a part of a bucket',
    openObjectStore(bucketUrl(`shared/${oddPrefix.split('/').map(encodeURIComponent).join('/')}`)),
    async () =>
      (await keysOfBucket(bucketUrl('shared'))).map((key) => {
        expect(key.slice(0, oddPrefix.length + 1)).toBe(`${oddPrefix}/`);
        return key.slice(oddPrefix.length + 1);
      }),
  ],
];

const content = Buffer.alloc(300_000, 'some bytes, ');
const streamed = (bytes: Buffer) =>
  Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)], { objectMode: false });

async function readAll(store: ObjectStore, key: string, range?: { first: number; last: number }) {
  const found = await store.get(key, range);
  return found && buffer(found);
}

test.for(stores)(
  '%s returns a stored file, whole or in part, until it is deleted',
  async ([, store, keys]) => {
    expect(await readAll(store, 'site/one/original')).toBe(null);
    await store.put('site/one/original', streamed(content), content.length);
    await store.put('site/one/400.webp', streamed(content), content.length);
    expect(await readAll(store, 'site/one/original')).toEqual(content);
    expect(await readAll(store, 'site/one/original', { first: 10, last: 19 })).toEqual(
      content.subarray(10, 20),
    );
    expect(await keys()).toEqual(['site/one/400.webp', 'site/one/original']);
    await store.put('site/one/original', streamed(content.subarray(0, 5)), 5);
    expect(await readAll(store, 'site/one/original')).toEqual(content.subarray(0, 5));
    await store.delete('site/one/original');
    await store.delete('site/one/400.webp');
    await store.delete('site/one/400.webp');
    expect(await readAll(store, 'site/one/original')).toBe(null);
    expect(await keys()).toEqual([]);
  },
);

test.for(stores)(
  '%s stores nothing if an upload breaks off or differs from its announced length',
  async ([, store, keys]) => {
    const broken = Readable.from(
      (async function* () {
        yield content.subarray(0, 1_000);
        throw new Error('the sender went away');
      })(),
      { objectMode: false },
    );
    await expect(store.put('site/two/original', broken, content.length)).rejects.toThrow(
      'the sender went away',
    );
    for (const bytes of [content.length - 1, content.length + 1])
      await expect(store.put('site/two/original', streamed(content), bytes)).rejects.toThrow(
        'announced length',
      );
    expect(await readAll(store, 'site/two/original')).toBe(null);
    expect(await keys()).toEqual([]);
  },
);

test('a missing bucket throws', async () => {
  const store = openObjectStore(bucketUrl('no-such-bucket'));
  await expect(store.put('site/one/original', streamed(content), content.length)).rejects.toThrow();
});

test("all parts of a bucket's address are escaped in the signed form", async () => {
  const requested: string[] = [];
  const listener = createServer((request, response) => {
    requested.push(`${request.method} ${request.url}`);
    response.end();
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const prefix = ["a#b?c%d+e &f!'()*", 'ü'].map(encodeURIComponent).join('/');
  const store = openObjectStore(`http://key:secret@127.0.0.1:${port}/bucket/${prefix}?region=r`);
  await store.delete('site/id/original');
  await store.get('site/id/400.webp');
  const address = '/bucket/a%23b%3Fc%25d%2Be%20%26f%21%27%28%29%2A/%C3%BC/site/id';
  expect(requested).toEqual([`DELETE ${address}/original`, `GET ${address}/400.webp`]);
});

test.for(stores)(
  'an object key that leads outside of %s, or has another form, is refused',
  async ([, store]) => {
    for (const key of [
      '../secret-key',
      'site/../../secret-key',
      '/etc/passwd',
      'site//original',
      '.hidden/a',
      's/i#a',
      's/i?a',
      's/i%61',
      's/ i',
    ])
      await expect(async () => store.get(key)).rejects.toThrow('is not a valid media key');
  },
);

test('media can be uploaded to a bucket, served from it in part, and deleted from it', async () => {
  const store = openObjectStore(bucketUrl('uploads'));
  await using app = await startApp({ media: store });
  const key = await app.seed.key({ scopes: ['write:media'] });
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), content]);
  const { body } = await app.post('/api/v2/media', { key, ...formOf(pdf, { name: 'a.pdf' }) });
  const { id, url } = body as { id: string; url: string };
  const part = await fetch(app.baseUrl + url, { headers: { range: 'bytes=0-4' } });
  expect([part.status, await part.text()]).toEqual([206, '%PDF-']);
  expect(Buffer.from(await (await fetch(app.baseUrl + url)).arrayBuffer())).toEqual(pdf);
  await app.delete(`/api/v2/media/${id}`, { key });
  expect(await keysOfBucket(bucketUrl('uploads'))).toEqual([]);
});

/** Returns keys of files that others may have put into a store, and of files with names like ours that were never recorded. */
const foreign = (siteId: string) => [
  '.DS_Store',
  'lost+found/#12345',
  'notes.txt',
  'a b.txt',
  'sub/my-thesis.pdf',
  'incoming/download.part',
  'incoming/.DS_Store',
  `${siteId}/mb3k9x2a7f0q1zd/original`,
];

const dayAgo = new Date(Date.now() - 25 * 3_600_000);

/** Writes a file below a directory, with a modification time of a day ago. */
async function leave(directory: string, path: string) {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, 'not ours');
  await utimes(target, dayAgo, dayAgo);
}

test('pruning a shared directory removes only incomplete files of this service', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ scopes: ['write:media'] });
  await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
  const [own = ''] = await filesBelow(app.mediaDir);
  await utimes(join(app.mediaDir, own), dayAgo, dayAgo);
  const others = foreign(siteId);
  for (const path of others) await leave(app.mediaDir, path);
  const half = 'incoming/01234567-89ab-4cde-8f01-23456789abcd';
  await leave(app.mediaDir, half);
  await leave(app.mediaDir, `${half.slice(0, -1)}e`);
  await utimes(join(app.mediaDir, `${half.slice(0, -1)}e`), new Date(), new Date());
  await mkdir(join(app.mediaDir, `${half.slice(0, -1)}f`));
  await app.deps.media.removeUnfinished(new Date(Date.now() - 24 * 3_600_000));
  expect(await filesBelow(app.mediaDir)).toEqual([own, ...others, `${half.slice(0, -1)}e`].toSorted());
});

test.for([
  ['a directory', async () => ({ media: undefined })],
  ['a bucket', async () => ({ media: openObjectStore(bucketUrl('removals')) })],
] as const)(
  'bytes in %s without a media row are removed after a day, and other files stay',
  async ([, where]) => {
    const { media } = await where();
    await using app = await startApp(media && { media });
    const keys = async () => (media ? keysOfBucket(bucketUrl('removals')) : filesBelow(app.mediaDir));
    const siteId = await app.seed.ownSite();
    const key = await app.seed.key({ scopes: ['write:media'] });
    await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
    const [own = ''] = await keys();
    const [, id = ''] = own.split('/');
    const others = [`${siteId}/${id}/original-old`, 'another-application/report.pdf'];
    for (const other of others) await app.deps.media.put(other, streamed(content), content.length);
    await losingRows(app, async () => {
      expect(await app.post('/api/v2/media', { key, ...formOf(await pictureElement('jpeg')) })).toMatchObject(
        {
          status: 500,
        },
      );
    });
    expect(await keys()).toHaveLength(4);
    expect(await removeDue(app.deps)).toBeNull();
    expect(await keys()).toHaveLength(4);
    await app.deps.database.em.execute("update media_removals set due_at = now() - interval '1 second'");
    while ((await removeDue(app.deps)) === 0);
    expect(await keys()).toEqual([own, ...others].toSorted());
    expect(await app.deps.database.em.execute('select from media_removals')).toEqual([]);
    for (const other of others) await app.deps.media.delete(other);
    await app.delete(`/api/v2/media/${id}`, { key });
    expect(await keys()).toEqual([]);
  },
);

test('an upload whose stored bytes were already removed fails, and writes no media row', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write:media'] });
  const { put } = app.deps.media;
  app.deps.media.put = async (...args) => {
    await put(...args);
    await app.deps.database.em.execute("update media_removals set due_at = now() - interval '1 second'");
    while ((await removeDue(app.deps)) === 0);
  };
  const refused = await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(await app.deps.database.em.execute('select from media')).toEqual([]);
  expect(await filesBelow(app.mediaDir)).toEqual([]);
});

test('bytes that lose their media row are due for removal immediately, at any fraction of a millisecond', async () => {
  await using app = await startApp();
  const { database } = app.deps;
  const site_id = await app.seed.ownSite();
  // `now()` is constant in a transaction. A due time that was rounded up would be later than it.
  const isDue = (id: string) =>
    database.em.fork().transactional(async (em) => {
      await noteUnnamed({ em }, { site_id, id });
      await giveUp({ em }, site_id, [id]);
      return em.execute('select due_at <= now() as due from media_removals where id = ?', [id]);
    });
  for (const n of Array(20).keys()) expect(await isDue(String(n).padStart(15, '0'))).toEqual([{ due: true }]);
});

test('files that are deleted while the store fails are removed once it works again', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write:media'] });
  const { body } = await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
  const { id, url } = body as { id: string; url: string };
  const { delete: remove } = app.deps.media;
  app.deps.media.delete = async () => {
    throw new Error('the store is away');
  };
  expect(await app.delete(`/api/v2/media/${id}`, { key })).toMatchObject({ status: 200 });
  expect((await fetch(app.baseUrl + url)).status).toBe(404);
  app.deps.media.delete = remove;
  expect(await filesBelow(app.mediaDir)).toHaveLength(1);
  await app.deps.database.em.execute("update media_removals set due_at = now() - interval '1 second'");
  while ((await removeDue(app.deps)) === 0);
  expect(await filesBelow(app.mediaDir)).toEqual([]);
  expect(await app.deps.database.em.execute('select from media_removals')).toEqual([]);
});

/** Runs `work` while no media row can be written, as if the process died before that. */
async function losingRows({ deps: { database } }: TestApp, work: () => Promise<void>) {
  await database.em.execute('alter table media add constraint lost check (false) not valid');
  await work();
  await database.em.execute('alter table media drop constraint lost');
}
