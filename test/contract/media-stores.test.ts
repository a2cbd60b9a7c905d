import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { startFauxqs } from 'fauxqs';
import { afterAll, expect, test } from 'vitest';
import { openMediaStore } from '../../shared/media/open-store.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import { pruneMedia } from '../../worker/media/prune-media.ts';
import { startApp } from '../support/app.ts';
import { formOf, picture } from '../support/pictures.ts';

// The two kinds of stores, each over what it stands for: a real directory, and an S3-compatible service over HTTP.

const directory = await mkdtemp(join(tmpdir(), 'creator-content-store-'));
const service = await startFauxqs({ port: 0, logger: false });
service.createBucket('media');
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

const bucketUrl = (path: string) =>
  `http://key:se%2Fcret@127.0.0.1:${service.port}/${path}?region=eu-central-1`;

const stores: readonly [string, MediaStore][] = [
  ['a directory', openMediaStore(pathToFileURL(directory).href)],
  ['a bucket', openMediaStore(bucketUrl('media'))],
  ['a part of a bucket', openMediaStore(bucketUrl('media/a site/below'))],
];

const content = Buffer.alloc(300_000, 'some bytes, ');
const streamed = (bytes: Buffer) =>
  Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)], { objectMode: false });

async function readAll(store: MediaStore, key: string, range?: { first: number; last: number }) {
  const found = await store.get(key, range);
  return found && buffer(found);
}

async function keysOf(store: MediaStore) {
  const keys = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys.toSorted();
}

test.for(stores)(
  '%s gives back what was put there, whole or in part, until it is deleted',
  async ([, store]) => {
    expect(await readAll(store, 'site/one/original')).toBe(null);
    await store.put('site/one/original', streamed(content), content.length);
    await store.put('site/one/400.webp', streamed(content), content.length);
    expect(await readAll(store, 'site/one/original')).toEqual(content);
    expect(await readAll(store, 'site/one/original', { first: 10, last: 19 })).toEqual(
      content.subarray(10, 20),
    );
    expect(await keysOf(store)).toEqual(['site/one/400.webp', 'site/one/original']);
    await store.put('site/one/original', streamed(content.subarray(0, 5)), 5);
    expect(await readAll(store, 'site/one/original')).toEqual(content.subarray(0, 5));
    await store.delete('site/one/original');
    await store.delete('site/one/400.webp');
    await store.delete('site/one/400.webp');
    expect(await readAll(store, 'site/one/original')).toBe(null);
    expect(await keysOf(store)).toEqual([]);
  },
);

test.for(stores)(
  '%s keeps nothing of what breaks off, or is longer or shorter than announced',
  async ([, store]) => {
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
        'another length',
      );
    expect(await readAll(store, 'site/two/original')).toBe(null);
    expect(await keysOf(store)).toEqual([]);
  },
);

test('a bucket that is not there fails loudly', async () => {
  const store = openMediaStore(bucketUrl('no-such-bucket'));
  await expect(store.put('site/one/original', streamed(content), content.length)).rejects.toThrow();
  await expect(keysOf(store)).rejects.toThrow();
});

test('a key that leads out of the directory is refused', async () => {
  const [, store] = stores[0] ?? [];
  for (const key of ['../secret-key', 'site/../../secret-key', '/etc/passwd', 'site//original', '.hidden/a'])
    await expect(async () => store?.get(key)).rejects.toThrow('is no key');
});

test('media are uploaded to a bucket, served from it in part, and removed from it', async () => {
  const store = openMediaStore(bucketUrl('media'));
  await using app = await startApp({ media: store });
  const key = await app.seed.key({ scopes: ['write:media'] });
  const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), content]);
  const { body } = await app.post('/api/v2/media', { key, ...formOf(pdf, { name: 'a.pdf' }) });
  const { id, url } = body as { id: string; url: string };
  const part = await fetch(app.baseUrl + url, { headers: { range: 'bytes=0-4' } });
  expect([part.status, await part.text()]).toEqual([206, '%PDF-']);
  expect(Buffer.from(await (await fetch(app.baseUrl + url)).arrayBuffer())).toEqual(pdf);
  await app.delete(`/api/v2/media/${id}`, { key });
  expect(await keysOf(store)).toEqual([]);
});

test('files that no row names are removed once a row can no longer come; others stay', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ scopes: ['write:media'] });
  await app.post('/api/v2/media', { key, ...formOf(await picture('png')) });
  const [own = ''] = await keysOf(app.deps.media);
  const orphans = [
    `${siteId}/mb3k9x2a7f0q1zd/original`,
    `${siteId}/mb3k9x2a7f0q1zd/400.webp`,
    'incoming/half',
  ];
  for (const orphan of orphans) await app.deps.media.put(orphan, streamed(content), content.length);
  const now = new Date();
  await pruneMedia(app.deps.database, app.deps.media, now);
  expect(await keysOf(app.deps.media)).toHaveLength(4);
  const before = new Date(now.getTime() - 25 * 3_600_000);
  for (const kept of [own, ...orphans]) await utimes(join(app.mediaDir, kept), before, before);
  await pruneMedia(app.deps.database, app.deps.media, now);
  expect(await keysOf(app.deps.media)).toEqual([own]);
});
