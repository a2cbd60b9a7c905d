import { appendFile, copyFile, mkdir, open, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openBackup } from '../../server/cli/backup/open-backup.ts';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { lazily } from '../../shared/runtime/single-flight.ts';
import { startApp } from '../support/app.ts';
import { makeFolder, readRows, runOps } from '../support/backups.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { createRandom, newSeed } from '../support/random.ts';

/** Reads a backup of a small installation, which each test copies. */
const readGoodBackup = lazily(async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  await app.post('/api/v1/posts', { key: await app.seed.key(), body: { title: 'Kept' } });
  const file = folder.at('good.tar');
  const made = await runOps(['backup', file], { dataDir: folder.at('source'), databaseUrl: app.databaseUrl });
  expect(made).toMatchObject({ exitCode: 0 });
  return readFile(file);
});

/** Prepares a backup, an installation, and an empty database to restore into. */
async function prepare() {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await startApp());
  const folder = stack.use(await makeFolder());
  const database = stack.use(await createEmptyDatabase());
  await app.post('/api/v1/posts', { key: await app.seed.key(), body: { title: 'Kept' } });
  const file = folder.at('good.tar');
  await writeFile(file, await readGoodBackup());
  const target = { dataDir: folder.at('target'), databaseUrl: database.url };
  const end = stack.move();
  return { app, folder, database, file, target, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

const tablesOf = "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'";

test('a backup with a changed, missing or additional byte is refused', async () => {
  await using stage = await prepare();
  const seed = newSeed();
  const random = createRandom(seed);
  const bad = stage.folder.at('bad.tar');
  const { length } = await readFile(stage.file);
  const spoil = {
    async change(at: number) {
      await using file = await open(bad, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, at);
      await file.write(Buffer.from([(byte[0] ?? 0) ^ (1 << Math.floor(random() * 8))]), 0, 1, at);
    },
    cut: (at: number) => truncate(bad, at),
    append: (at: number) => appendFile(bad, Buffer.alloc(at % 4_000 || 1)),
  };
  for (let attempt = 0; attempt < 300; attempt++) {
    const [name, damage] = Object.entries(spoil)[attempt % 3] ?? ['', spoil.cut];
    const at = Math.floor(random() * length);
    await copyFile(stage.file, bad);
    await damage(at);
    const outcome = await openBackup(bad).then(
      () => 'opened',
      (error: Error) => error.name,
    );
    expect([seed, name, at, outcome]).toEqual([seed, name, at, 'DamagedArchiveError']);
  }
});

test('a damaged backup is refused before anything changes', async () => {
  await using stage = await prepare();
  const { length } = await readFile(stage.file);
  await truncate(stage.file, length - 1);

  const refused = await runOps(['restore', stage.file], stage.target);

  expect(refused).toMatchObject({ exitCode: 1, output: expect.stringContaining('damaged or incomplete') });
  expect(await stage.database.query(tablesOf)).toEqual([]);
  await expect(readdir(stage.target.dataDir)).rejects.toThrow('ENOENT');
});

test('a backup is never restored over existing rows, media or secret key', async () => {
  await using stage = await prepare();
  const before = await readRows(stage.app.databaseUrl);
  const filled = { ...stage.target, databaseUrl: stage.app.databaseUrl };
  expect(await runOps(['restore', stage.file], filled)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('The database is not empty'),
  });
  expect(await readRows(stage.app.databaseUrl)).toEqual(before);

  const otherKey = { ...stage.target, secretKey: 'another secret key' };
  expect(await runOps(['restore', stage.file], otherKey)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('SECRET_KEY is not the secret key of the backup'),
  });

  const other = 's1/mb3k9x2a7f0q1zd/400.webp';
  await mkdir(dirname(`${stage.target.dataDir}/media/${other}`), { recursive: true });
  await writeFile(`${stage.target.dataDir}/media/${other}`, 'other');
  expect(await runOps(['restore', stage.file], stage.target)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining(`contains files that are not in the backup, for example ${other}`),
  });
  expect(await stage.database.query(tablesOf)).toEqual([]);
});

test('a backup reports what it does not contain: media in another location, an omitted key', async () => {
  await using stage = await prepare();
  const source = { dataDir: stage.folder.at('source'), databaseUrl: stage.app.databaseUrl };
  const made = await runOps(['backup', stage.folder.at('b.tar'), '--without-secret-key'], source, {
    MEDIA_URL: 'https://KEY:SECRET@s3.example.com/bucket?region=eu-west-1',
  });
  expect(made).toMatchObject({
    exitCode: 0,
    output: expect.stringContaining('does not contain the secret key'),
  });
  expect(made.output).toContain('It does not contain media files');
  await using backup = await openBackup(stage.folder.at('b.tar'));
  expect(backup.secretKey).toBe(null);
  expect(backup.archive.entries.filter(({ path }) => /^(media|secret)/.test(path))).toEqual([]);
});

test('no backup is written without a secret key, with a key that decrypts nothing, or over a file', async () => {
  await using stage = await prepare();
  const source = { dataDir: stage.folder.at('nothing'), databaseUrl: stage.app.databaseUrl };
  const file = stage.folder.at('c.tar');
  expect(await runOps(['backup', file], { ...source, secretKey: '' })).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('Secret key not found'),
  });
  expect(await runOps(['backup', stage.file], source)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('already exists'),
  });
  const token = await stage.app.seed.ownerToken();
  const body = { url: 'https://93.184.215.14/hook', events: ['content.created'] };
  expect(await stage.app.post('/api/admin/webhooks', { key: token, body })).toMatchObject({ status: 201 });
  expect(await runOps(['backup', file], { ...source, secretKey: 'another secret key' })).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('SECRET_KEY cannot decrypt any of the '),
  });
  expect((await readdir(stage.folder.at())).toSorted()).toEqual(['good.tar']);
});

test('a backup with a secret key that decrypts no newsletter key is refused, one without the key is written, and an empty database is refused', async () => {
  await using stage = await prepare();
  const source = { dataDir: stage.folder.at('nothing'), databaseUrl: stage.app.databaseUrl };
  await getMailKey(stage.app.deps, await stage.app.seed.ownSite());
  const other = { ...source, secretKey: 'another secret key' };
  expect(await runOps(['backup', stage.folder.at('c.tar')], other)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('SECRET_KEY cannot decrypt any of the newsletter keys'),
  });
  for (const [name, installation, option] of [
    ['d.tar', source, []],
    ['e.tar', other, ['--without-secret-key']],
  ] as const)
    expect(await runOps(['backup', stage.folder.at(name), ...option], installation)).toMatchObject({
      exitCode: 0,
    });

  // A read-only command has created the list of migrations, and nothing else.
  expect(await runOps(['sites', 'list'], stage.target)).toMatchObject({ exitCode: 1 });
  expect(await runOps(['backup', stage.folder.at('f.tar')], stage.target)).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('Nothing to back up'),
  });
  expect((await readdir(stage.folder.at())).toSorted()).toEqual(['d.tar', 'e.tar', 'good.tar']);
});

test('after the key is lost and webhooks have new secrets, backups are complete, though old newsletter keys cannot be decrypted', async () => {
  await using stage = await prepare();
  const { app } = stage;
  await getMailKey(app.deps, await app.seed.ownSite());
  const body = { url: 'https://93.184.215.14/hook', events: ['content.created'] };
  const key = await app.seed.ownerToken();
  expect(await app.post('/api/admin/webhooks', { key, body })).toMatchObject({ status: 201 });
  // A secret that was encrypted for another owner cannot be decrypted, as with another key.
  await app.deps.database.em.execute(
    'update mail_keys set key_sealed = (select secret_sealed from webhook_subscriptions limit 1)',
  );
  const source = { dataDir: stage.folder.at('nothing'), databaseUrl: app.databaseUrl };
  expect(await runOps(['backup', stage.folder.at('c.tar')], source)).toMatchObject({ exitCode: 0 });
});

test('every logged table except `migrations` is in a backup, and none of their columns uses a sequence', async () => {
  await using stage = await prepare();
  await using backup = await openBackup(stage.file);
  const tables = Object.keys(await readRows(stage.app.databaseUrl));
  expect(backup.manifest.tables.map(({ name }) => name).toSorted()).toEqual(tables);
  const sequences = await stage.app.deps.database.em.execute(
    "select sequencename from pg_sequences where schemaname = 'public'",
  );
  expect(sequences).toEqual([{ sequencename: 'migrations_id_seq' }]);
});
