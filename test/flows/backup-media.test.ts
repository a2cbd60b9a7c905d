import { chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startFauxqs } from 'fauxqs';
import { expect, test } from 'vitest';
import { openBackup } from '../../server/cli/backup/open-backup.ts';
import { storeIdKey } from '../../shared/media/identity.ts';
import { startApp } from '../support/app.ts';
import { makeFolder, runOps } from '../support/backups.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { filesBelow, keysOfBucket } from '../support/stored-keys.ts';

// Media in backups: reports of missing files, completeness, and deletion of old backups.

const othersMark = 'id: 01234567-89ab-4cde-8f01-23456789abcd\n';

/** Starts an installation with two images. */
async function prepare() {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await startApp());
  const folder = stack.use(await makeFolder());
  const database = stack.use(await createEmptyDatabase());
  const key = await app.seed.key({ scopes: ['write:media'] });
  for (const width of [20, 30])
    await app.post('/api/v2/media', { key, ...formOf(await pictureElement('png', { width, height: 20 })) });
  const originals = (await filesBelow(app.mediaDir)).filter((path) => path.endsWith('original'));
  expect(originals).toHaveLength(2);
  const source = { dataDir: folder.at('source'), databaseUrl: app.databaseUrl };
  const environment = { MEDIA_URL: pathToFileURL(app.mediaDir).href };
  const backUp = (...args: string[]) => runOps(['backup', ...args], source, environment);
  const restore = (target: string, ...args: string[]) =>
    runOps(['restore', ...args], { dataDir: folder.at(target), databaseUrl: database.url });
  const end = stack.move();
  const [first = '', second = ''] = originals;
  return { app, folder, first, second, backUp, restore, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

// Only root can change the owner of files.
test.skipIf(process.getuid?.() !== 0)(
  'files that root restores belong to the owner of the data folder, and those of a data folder of root to root',
  async () => {
    await using stage = await prepare();
    const { folder, first, second } = stage;
    await stage.backUp(folder.at('a.tar'));
    await mkdir(folder.at('target'));
    await chown(folder.at('target'), 12_345, 12_346);

    expect(await stage.restore('target', folder.at('a.tar'))).toMatchObject({ exitCode: 0 });

    const restored = ['secret-key', 'media', `media/${first}`, `media/${dirname(second)}`];
    const owners = async (target: string) =>
      Promise.all(
        restored.map(async (name) => {
          const { uid, gid } = await stat(folder.at(target, name));
          return `${uid}:${gid}`;
        }),
      );
    expect(await owners('target')).toEqual(restored.map(() => '12345:12346'));

    await using database = await createEmptyDatabase();
    const ofRoot = { dataDir: folder.at('root'), databaseUrl: database.url };
    expect(await runOps(['restore', folder.at('a.tar')], ofRoot)).toMatchObject({ exitCode: 0 });
    expect(await owners('root')).toEqual(restored.map(() => '0:0'));
  },
);

test('a backup with missing or damaged media reports them by name, exit code and manifest', async () => {
  await using stage = await prepare();
  const { app, folder, first, second } = stage;
  const { length } = await readFile(join(app.mediaDir, second));
  await writeFile(join(app.mediaDir, second), Buffer.alloc(length, 7));
  await rm(join(app.mediaDir, first));

  const made = await stage.backUp(folder.at('a.tar'));

  expect(made).toMatchObject({ exitCode: 1, output: expect.stringContaining('INCOMPLETE') });
  expect(made.output).toContain(`${first} is missing`);
  expect(made.output).toContain(`${second} is damaged`);
  expect(await readdir(folder.at())).toEqual(['a.partial.tar']);
  await using backup = await openBackup(folder.at('a.partial.tar'));
  expect(backup.manifest.lacking).toEqual([
    { key: first, why: 'missing' },
    { key: second, why: 'damaged' },
  ]);
  const refused = await stage.restore('target', folder.at('a.partial.tar'));
  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('Use --partial') });
  const taken = await stage.restore('target', folder.at('a.partial.tar'), '--partial');
  expect(taken).toMatchObject({ exitCode: 0 });
});

test.for([
  ['is gone', (directory: string) => rename(directory, `${directory}-away`)],
  [
    'is an empty mount point',
    async (directory: string) => {
      await rename(directory, `${directory}-away`);
      await mkdir(directory);
    },
  ],
  [
    "is another installation's",
    async (directory: string) => {
      await cp(directory, `${directory}-away`, { recursive: true });
      await writeFile(join(directory, storeIdKey), othersMark);
    },
  ],
] as const)('no backup is written or deleted while the media directory %s', async ([, makeUnavailable]) => {
  await using stage = await prepare();
  const { app, folder } = stage;
  const old = '2020-01-02T030405Z.tar';
  await stage.backUp(folder.at(old));
  await makeUnavailable(app.mediaDir);

  const made = await stage.backUp(folder.at(), '--keep-days', '1');

  expect(made).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('No backup was written: '),
  });
  expect(await readdir(folder.at())).toEqual([old]);
  await rm(app.mediaDir, { recursive: true, force: true });
  await rename(`${app.mediaDir}-away`, app.mediaDir);
  expect(await stage.backUp(folder.at(), '--keep-days', '1')).toMatchObject({ exitCode: 0 });
  expect(await readdir(folder.at())).toEqual([expect.stringMatching(/^2\d{3}-\d\d-\d\dT\d{6}Z\.tar$/)]);
  expect(await readdir(folder.at())).not.toEqual([old]);
});

test('old backups are deleted only after a complete one, and other files never', async () => {
  await using stage = await prepare();
  const { app, folder, first } = stage;
  const ours = ['2020-01-02T030405Z.tar', '2020-01-03T030405Z.partial.tar'];
  for (const name of ours) await stage.backUp(folder.at(name));
  const foreign = ['2020-01-02T030406Z.tar', 'photos.tar', 'before.tar', '2019.tar.gz', 'notes.tar.txt'];
  for (const name of foreign) await writeFile(folder.at(name), 'not ours');
  await stage.backUp(folder.at('today.tar'));
  const unfinished = '2020-01-04T030405Z.tar.0123abcd.unfinished';
  await writeFile(folder.at(unfinished), 'half');
  const bytes = await readFile(join(app.mediaDir, first));
  await rm(join(app.mediaDir, first));

  const partial = await stage.backUp(folder.at(), '--keep-days', '14');
  expect(partial).toMatchObject({ exitCode: 1 });
  const before = await readdir(folder.at());
  expect(before).toEqual(expect.arrayContaining([...ours, ...foreign, 'today.tar', unfinished]));

  await writeFile(join(app.mediaDir, first), bytes);
  expect(await stage.backUp(folder.at(), '--keep-days', '14')).toMatchObject({ exitCode: 0 });
  const left = await readdir(folder.at());
  expect(left).toEqual(expect.arrayContaining([...foreign, 'today.tar']));
  for (const name of [...ours, unfinished]) expect(left).not.toContain(name);
  const refused = await stage.backUp(folder.at('b.tar'), '--keep-days', '14');
  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('is not a folder') });
});

test('a restore ignores and keeps other files in the media directory', async () => {
  await using stage = await prepare();
  const { folder, first, second } = stage;
  await stage.backUp(folder.at('a.tar'));
  const foreign = ['.DS_Store', 'lost+found/#1', 'a b.txt', 'notes/2026/original.txt'];
  for (const path of foreign) {
    await mkdir(dirname(folder.at('target', 'media', path)), { recursive: true });
    await writeFile(folder.at('target', 'media', path), 'not ours');
  }

  expect(await stage.restore('target', folder.at('a.tar'))).toMatchObject({ exitCode: 0 });

  const files = await filesBelow(folder.at('target', 'media'));
  expect(files).toEqual([first, second, ...foreign].toSorted());
  for (const path of foreign)
    expect(await readFile(folder.at('target', 'media', path), 'utf8')).toBe('not ours');
});

test('media of a backup are restored into a bucket, and the restore fails if the bucket has different bytes at a key', async () => {
  await using stage = await prepare();
  const { app, folder, first, second } = stage;
  await stage.backUp(folder.at('a.tar'));
  const service = await startFauxqs({ port: 0, logger: false });
  await using _ = { [Symbol.asyncDispose]: () => service.stop() };
  service.createBucket('media');
  const bucket = `http://key:secret@127.0.0.1:${service.port}/media?region=us-east-1`;
  await using database = await createEmptyDatabase();
  const target = { dataDir: folder.at('target'), databaseUrl: database.url };
  const restore = () => runOps(['restore', folder.at('a.tar')], target, { MEDIA_URL: bucket });

  const put = (body: string | Uint8Array<ArrayBuffer>) =>
    fetch(`http://127.0.0.1:${service.port}/media/${first}`, { method: 'PUT', body });
  await put('another one');
  expect(await restore()).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining(`for example ${first}`),
  });
  await put(new Uint8Array(await readFile(join(app.mediaDir, first))));
  expect(await restore()).toMatchObject({ exitCode: 0 });
  expect(await keysOfBucket(bucket)).toEqual([first, second]);
});

test('a backup without its bucket is named partial, and a restored installation recognizes its own store', async () => {
  await using stage = await prepare();
  const { app, folder } = stage;
  const source = { dataDir: folder.at('source'), databaseUrl: app.databaseUrl };
  const bucket = { MEDIA_URL: 'http://key:secret@127.0.0.1:9/media?region=us-east-1' };
  const made = await runOps(['backup', folder.at('a.tar')], source, bucket);
  expect(made).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('The media store was unavailable'),
  });
  expect(await readdir(folder.at())).toEqual(['a.partial.tar']);

  await stage.backUp(folder.at('b.tar'));
  await mkdir(folder.at('target', 'media'), { recursive: true });
  await writeFile(folder.at('target', 'media', storeIdKey), othersMark);
  const refused = await stage.restore('target', folder.at('b.tar'));
  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('another installation') });
  expect(await readFile(folder.at('target', 'media', storeIdKey), 'utf8')).toBe(othersMark);
  await rm(folder.at('target', 'media', storeIdKey));
  expect(await stage.restore('target', folder.at('b.tar'))).toMatchObject({ exitCode: 0 });
  expect(await readFile(folder.at('target', 'media', storeIdKey), 'utf8')).toBe(
    await readFile(join(app.mediaDir, storeIdKey), 'utf8'),
  );
});
