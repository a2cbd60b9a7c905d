import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createDiskStore } from '../../shared/media/disk-store.ts';
import { ownStore, storeIdKey } from '../../shared/media/identity.ts';
import { createS3Store } from '../../shared/media/s3-store.ts';
import { MediaFullError, MediaUnavailableError } from '../../shared/media/store.ts';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { makeFolder, runOps } from '../support/backups.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { filesBelow } from '../support/stored-keys.ts';

const put = (store: { put: ReturnType<typeof ownStore>['put'] }, id: string) =>
  store.put(`site/${id}/original`, Readable.from([Buffer.from(id)]), id.length);

const markIn = (directory: string) => readFile(join(directory, storeIdKey), 'utf8');

const recorded = ({ deps }: TestApp) => deps.database.em.execute('select * from media_store');

async function upload(app: TestApp, width = 20) {
  const key = await app.seed.key({ scopes: ['write:media'] });
  const form = formOf(await pictureElement('png', { width, height: 20 }));
  return app.post('/api/v2/media', { key, ...form });
}

async function temporaryDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'creator-content-identity-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('concurrent processes that use a new store agree on its owner', async () => {
  await using app = await startApp();
  const stores = Array.from({ length: 8 }, () => ownStore(createDiskStore(app.mediaDir), app.deps.database));
  await Promise.all(stores.map((store, at) => put(store, `a${at}`)));
  const [row, ...others] = (await recorded(app)) as { id: string; marked: boolean }[];
  expect([row?.marked, others]).toEqual([true, []]);
  expect(await markIn(app.mediaDir)).toContain(`id: ${row?.id}\n`);
  await Promise.all(stores.map((store) => store.check()));
});

test('a store from before ownership marks is adopted only once it contains the files of the database', async () => {
  await using app = await startApp();
  const { body } = await upload(app);
  const { url } = body as { url: string };
  await app.deps.database.em.execute('delete from media_store');
  await rm(join(app.mediaDir, storeIdKey));
  await rename(app.mediaDir, `${app.mediaDir}-away`);
  await mkdir(app.mediaDir);
  const asAfterAnUpgrade = ownStore(createDiskStore(app.mediaDir), app.deps.database);
  await expect(put(asAfterAnUpgrade, 'a')).rejects.toThrow('none of the media files in the database');
  expect([await recorded(app), await filesBelow(app.mediaDir)]).toEqual([[], []]);
  await rm(app.mediaDir, { recursive: true });
  await rename(`${app.mediaDir}-away`, app.mediaDir);
  await put(asAfterAnUpgrade, 'a');
  expect(await markIn(app.mediaDir)).toContain('id: ');
  expect((await fetch(app.baseUrl + url)).status).toBe(200);
});

test('a lost mark is never written again automatically, and a store of another installation is refused', async () => {
  await using app = await startApp();
  await using other = await startApp();
  expect((await upload(app)).status).toBe(201);
  await expect(put(ownStore(createDiskStore(app.mediaDir), other.deps.database), 'a')).rejects.toThrow(
    'it belongs to another installation',
  );
  expect(await recorded(other)).toEqual([]);
  const mark = await markIn(app.mediaDir);
  await rm(join(app.mediaDir, storeIdKey));
  const begunAnew = ownStore(createDiskStore(app.mediaDir), app.deps.database);
  await expect(put(begunAnew, 'a')).rejects.toThrow(MediaUnavailableError);
  expect(await upload(app, 30)).toEqual(failure(503, 'media_unavailable'));
  await expect(markIn(app.mediaDir)).rejects.toThrow('ENOENT');
  await writeFile(join(app.mediaDir, storeIdKey), mark);
  expect((await upload(app, 30)).status).toBe(201);
});

test('reading a file takes one request to the store, and a missing file one more', async () => {
  await using app = await startApp();
  const requested: string[] = [];
  const raw = createDiskStore(app.mediaDir);
  const counted = {
    ...raw,
    get(key: string) {
      requested.push(key);
      return raw.get(key);
    },
  };
  const store = ownStore(counted, app.deps.database);
  await put(store, 'a');
  requested.length = 0;
  (await store.get('site/a/original'))?.destroy();
  expect(requested).toEqual(['site/a/original']);
  expect(await store.get('site/b/original')).toBe(null);
  expect(requested).toEqual(['site/a/original', 'site/b/original', storeIdKey]);
});

test('a bucket without space returns 507 with a retry time, and stores nothing', async () => {
  const service = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET') response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    else
      request.on('end', () => response.writeHead(507).end('<Error><Code>XMinioStorageFull</Code></Error>'));
  });
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const { port } = service.address() as AddressInfo;
  await using app = await startApp({ media: createS3Store(`http://key:secret@127.0.0.1:${port}/media`) });
  const key = await app.seed.key({ scopes: ['write:media'] });
  const answer = await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
  expect(answer).toEqual(failure(507, 'insufficient_storage'));
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await app.deps.database.em.execute('select from media')).toEqual([]);
});

/** Mounts a file system of 200 KB. Returns null if this user may not mount one. */
async function smallDisk(): Promise<string | null> {
  const directory = await temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', [directory]));
  return directory;
}

test('a full disk returns 507, for the store and for the upload folder, and stores nothing', async ({
  skip,
}) => {
  const disk = await smallDisk();
  if (disk === null) return skip('no file system can be mounted here');
  const large = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(400_000, 7)]);
  const form = formOf(large, { name: 'a.pdf' });
  {
    const store = createDiskStore(join(disk, 'media'));
    await expect(store.put('s/i/original', Readable.from([large]), large.length)).rejects.toThrow(
      MediaFullError,
    );
    await using app = await startApp({ media: store });
    const key = await app.seed.key({ scopes: ['write:media'] });
    expect(await app.post('/api/v2/media', { key, ...form })).toEqual(failure(507, 'insufficient_storage'));
    expect(await app.deps.database.em.execute('select from media')).toEqual([]);
    expect(await filesBelow(disk)).toEqual(['media/creator-content-store']);
    await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png')) });
    expect(await app.deps.database.em.execute('select from media')).toHaveLength(1);
  }
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write:media'] });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk;
  try {
    expect(await app.post('/api/v2/media', { key, ...form })).toEqual(failure(507, 'insufficient_storage'));
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});

test('an image with missing or changed bytes gets no renditions, is reported, and can be retried', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  await upload(app, 900);
  await upload(app, 800);
  const [gone = '', damaged = ''] = await filesBelow(app.mediaDir);
  const bytes = [gone, damaged].map((path) => readFile(join(app.mediaDir, path)));
  const [ofGone, ofDamaged] = await Promise.all(bytes);
  await rm(join(app.mediaDir, gone));
  await writeFile(join(app.mediaDir, damaged), 'not that');
  const work = async () => {
    while ((await makeRenditions(app.deps, new AbortController().signal)) === 0);
  };
  const environment = { MEDIA_URL: pathToFileURL(app.mediaDir).href };
  const ops = (...args: string[]) =>
    runOps(['media', ...args], { dataDir: folder.at('data'), databaseUrl: app.databaseUrl }, environment);
  await work();
  const checked = await ops('check', '--bytes');
  expect(checked.exitCode).toBe(1);
  for (const told of [
    `${gone} is missing`,
    `${damaged} is damaged`,
    'has no renditions: it is missing',
    'has no renditions: it is damaged',
  ])
    expect(checked.output).toContain(told);

  await mkdir(join(app.mediaDir, gone, '..'), { recursive: true });
  await writeFile(join(app.mediaDir, gone), ofGone ?? '');
  await writeFile(join(app.mediaDir, damaged), ofDamaged ?? '');
  expect((await ops('resize')).output).toContain('Queued 2 images');
  await work();
  expect(await ops('check', '--bytes')).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('All 5 media files are present.'),
  });
});

test('an operator can adopt a moved store if it is complete, and a store of another installation only by name', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  const { body } = await upload(app);
  const { url } = body as { url: string };
  const [file = ''] = await filesBelow(app.mediaDir);
  const [row] = (await recorded(app)) as { id: string }[];
  const moved = folder.at('moved');
  const ops = (...args: string[]) =>
    runOps(
      ['media', 'adopt', ...args],
      { dataDir: folder.at('data'), databaseUrl: app.databaseUrl },
      { MEDIA_URL: pathToFileURL(moved).href },
    );
  await mkdir(moved);
  expect(await ops()).toMatchObject({ exitCode: 1, output: expect.stringContaining(`${file} is missing`) });
  const other = '01234567-89ab-4cde-8f01-23456789abcd';
  await mkdir(join(moved, file, '..'), { recursive: true });
  await writeFile(join(moved, file), await readFile(join(app.mediaDir, file)));
  await writeFile(join(moved, storeIdKey), `id: ${other}\n`);
  expect(await ops()).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining(`--instead-of ${other}`),
  });
  expect(await markIn(moved)).toBe(`id: ${other}\n`);
  expect(await ops('--instead-of', other)).toMatchObject({ exitCode: 0 });
  expect(await markIn(moved)).toContain(`id: ${row?.id}\n`);
  expect(await recorded(app)).toEqual([row]);
  await rm(join(moved, storeIdKey));
  expect(await ops()).toMatchObject({ exitCode: 0 });
  await rm(app.mediaDir, { recursive: true });
  await rename(moved, app.mediaDir);
  expect((await fetch(app.baseUrl + url)).status).toBe(200);
  expect((await upload(app, 30)).status).toBe(201);
  const noted = await app.deps.database.em.execute('select distinct action from audit_log');
  expect(noted).toEqual([{ action: 'ops.media.adopt' }]);
});
