import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startFauxqs } from 'fauxqs';
import { afterAll, expect, test } from 'vitest';
import { removeDue } from '../../shared/media/removals.ts';
import { createS3Store } from '../../shared/media/s3-store.ts';
import { MediaUnavailableError, type ObjectStore } from '../../shared/media/store.ts';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { readReadiness } from '../support/readiness.ts';
import { filesBelow } from '../support/stored-keys.ts';

// All kinds of media store outages, for every feature that uses media. Nothing is lost, deleted or given up, and
// everything resumes once the store is available.

const service = await startFauxqs({ port: 0, logger: false });
type Answer = (response: ServerResponse) => void;

/** Response to send instead of the service's own; null to pass requests on. */
let instead: Answer | null = null;
const gateway = createServer((incoming: IncomingMessage, response: ServerResponse) => {
  if (instead) {
    incoming.resume();
    return instead(response);
  }
  const { method, url, headers } = incoming;
  const passed = request({ port: service.port, host: '127.0.0.1', method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  incoming.pipe(passed);
});
await once(gateway.listen(0, '127.0.0.1'), 'listening');
afterAll(async () => {
  gateway.closeAllConnections();
  gateway.close();
  await service.stop();
});

/** Makes a store unavailable, and returns the function that restores it. */
interface OutageCase {
  openStore?(): ObjectStore;
  takeAway(app: TestApp): Promise<() => Promise<void>>;
}

const inBucket = (answer: Answer): OutageCase => ({
  openStore() {
    const bucket = `media-${Math.random().toString(36).slice(2)}`;
    service.createBucket(bucket);
    const { port } = gateway.address() as AddressInfo;
    return createS3Store(`http://key:secret@127.0.0.1:${port}/${bucket}?region=us-east-1`, {
      stalledMs: 600,
    });
  },
  async takeAway() {
    instead = answer;
    return async () => {
      instead = null;
    };
  },
});

/** Replaces the media directory with what `makeOther` creates. */
const inDirectory = (makeOther: (directory: string) => Promise<unknown>): OutageCase => ({
  async takeAway({ mediaDir }) {
    await rename(mediaDir, `${mediaDir}-away`);
    await makeOther(mediaDir);
    return async () => {
      // Nothing was written to the replacement.
      expect(await filesBelow(mediaDir).catch(() => [])).toEqual([]);
      await rm(mediaDir, { recursive: true, force: true });
      await rename(`${mediaDir}-away`, mediaDir);
    };
  },
});

const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;

const ways: Record<string, OutageCase> = {
  'a missing directory': inDirectory(async () => {}),
  'an empty mount point': inDirectory((directory) => mkdir(directory)),
  "another installation's directory": inDirectory(async (directory) => {
    await mkdir(directory);
    await writeFile(join(directory, 'creator-content-store'), 'id: 01234567-89ab-4cde-8f01-23456789abcd\n');
  }),
  'a file instead of a directory': inDirectory((directory) => writeFile(directory, '')),
  'a directory with an unreadable identity file': {
    async takeAway({ mediaDir }) {
      await rename(mediaDir, `${mediaDir}-away`);
      await mkdir(join(mediaDir, 'creator-content-store'), { recursive: true });
      return async () => {
        await rm(mediaDir, { recursive: true });
        await rename(`${mediaDir}-away`, mediaDir);
      };
    },
  },
  'a missing bucket': inBucket((response) => response.writeHead(404).end(xml('NoSuchBucket'))),
  'an empty bucket': inBucket((response) => response.writeHead(404).end(xml('NoSuchKey'))),
  'a proxy without a service': inBucket((response) => response.writeHead(404).end('<h1>Not found</h1>')),
  'a service that fails': inBucket((response) => response.writeHead(500).end()),
  'a service that refuses': inBucket((response) => response.writeHead(403).end(xml('AccessDenied'))),
  'a service that closes connections': inBucket((response) => response.destroy()),
  'a silent service': inBucket(() => {}),
};

test.for(Object.entries(ways))(
  'with %s as media store nothing is lost, and everything resumes when the store is available',
  async ([, way]) => {
    await using app = await startApp(way.openStore ? { media: way.openStore() } : {});
    await using there = await startApp();
    const siteId = await app.seed.ownSite();
    const key = await app.seed.key({ siteId, scopes: ['write:media'] });
    const upload = async (content: Buffer, name: string) =>
      app.post('/api/v2/media', { key, ...formOf(content, { name }) });
    const sent = async (content: Buffer, name: string) =>
      (await upload(content, name)).body as { id: string; url: string };
    const image = await sent(await pictureElement('png', { width: 900, height: 60 }), 'a.png');
    const deleted = await sent(await pictureElement('png', { width: 40, height: 40 }), 'b.png');
    const archive = await archiveWithMedia(there);
    const rows = () => app.deps.database.em.execute('select * from media order by id');
    const store = () => app.deps.database.em.execute('select * from media_store');
    const [before, storeBefore] = [await rows(), await store()];
    const signal = new AbortController().signal;

    const bringBack = await way.takeAway(app);

    const read = await fetch(app.baseUrl + image.url);
    expect([read.status, await read.json()]).toEqual([503, failure(503, 'media_unavailable').body]);
    expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await upload(await pictureElement('jpeg'), 'c.jpg')).toEqual(failure(503, 'media_unavailable'));
    expect(await makeRenditions(app.deps, signal)).toBeGreaterThan(0);
    await expect(app.deps.media.removeUnfinished(new Date())).rejects.toThrow(MediaUnavailableError);
    await expect(archiveOf(app, siteId)).rejects.toThrow(MediaUnavailableError);
    await expect(importBytes(app, archive, { siteId })).rejects.toThrow(MediaUnavailableError);
    expect([await rows(), await store()]).toEqual([before, storeBefore]);
    expect(await app.delete(`/api/v2/media/${deleted.id}`, { key })).toMatchObject({ status: 200 });
    expect(await app.deps.database.em.execute('select tries, given_up from media_to_size')).toEqual([
      { tries: 0, given_up: null },
    ]);

    const degraded = { status: 'ready', degraded: [{ what: 'media', reason: 'media store unavailable' }] };
    expect(await readReadiness(app)).toMatchObject({ status: 200, body: degraded });

    await bringBack();

    expect((await fetch(app.baseUrl + image.url)).status).toBe(200);
    expect((await upload(await pictureElement('jpeg'), 'c.jpg')).status).toBe(201);
    app.clock.advance({ seconds: 2 });
    expect((await readReadiness(app)).body).toEqual({ status: 'ready' });
    await makeDue(app);
    while ((await removeDue(app.deps)) === 0);
    expect(await app.deps.database.em.execute('select id from media_removals where not begun')).toEqual([]);
    expect(await app.deps.media.get(`${siteId}/${deleted.id}/original`)).toBe(null);
    expect(await makeRenditions(app.deps, signal)).toBe(0);
    for (const width of [400, 800])
      expect((await fetch(`${app.baseUrl}/media/${image.id}/${width}/a.webp`)).status).toBe(200);
    expect((await importBytes(app, archive, { siteId })).counts.created).toBeGreaterThan(0);
    expect((await archiveOf(app, siteId)).length).toBeGreaterThan(0);
    expect(await store()).toEqual(storeBefore);
  },
);

/** Returns the archive of a site that has an image. */
async function archiveWithMedia(app: TestApp): Promise<Buffer> {
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ siteId, scopes: ['write:media'] });
  await app.post('/api/v2/media', { key, ...formOf(await pictureElement('webp')) });
  return archiveOf(app, siteId);
}

/** Makes all waiting work due. */
async function makeDue({ deps: { database } }: TestApp) {
  for (const table of ['media_removals', 'media_to_size'])
    await database.em.execute(`update ${table} set due_at = now() - interval '1 second'`);
}
