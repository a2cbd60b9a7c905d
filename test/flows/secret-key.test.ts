import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { encryptedColumns } from '../../shared/runtime/encrypted-columns.ts';
import { createSecretBox, openedOrNull } from '../../shared/runtime/secret-box.ts';
import { connectionOwner } from '../../shared/selling/connection.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { makeFolder, readRows, runOps } from '../support/backups.ts';
import { startStage } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const next = 'the secret key from now on';

/** Columns of secrets that last at most one day. A change of the key invalidates them. */
const passing = [
  'factor_challenges.secret_sealed',
  'idempotency_keys.answer_sealed',
  'oauth_tokens.successor_sealed',
  'sign_in_codes.code_sealed',
];

/** Creates a secret of every permanent kind, for two sites and a person. */
async function seal(app: Awaited<ReturnType<typeof startApp>>) {
  const { database, secrets } = app.deps;
  for (const site of [await app.seed.ownSite(), await app.seed.site()]) {
    await getMailKey(app.deps, site);
    const key = await app.seed.ownerToken(site);
    const body = { url: 'https://93.184.215.14/hook', events: ['content.created'] };
    const made = (await app.post('/api/admin/webhooks', { key, body })).body as { id: string };
    await app.post(`/api/admin/webhooks/${made.id}/rotate-secret`, { key });
  }
  const connection = ['rk_test_1', 'whsec_1'].map((text) => secrets.seal(text, connectionOwner('somewhere')));
  await database.em.execute(
    `insert into payment_connections (site_id, id, account_name, livemode, key_sealed, hook_secret_sealed, automatic_tax,
       promotion_codes, public_url, lease_fence, state, created, updated)
     values ('somewhere', 'connection', '', false, ?, ?, false, false, 'https://a.example', 0, 'active', now(), now())`,
    connection,
  );
  const sealed = secrets.seal('JBSWY3DPEHPK3PXP', JSON.stringify(['totp', 'somebody']));
  await database.em.execute(
    `insert into factors (person_id, id, kind, name, secret_sealed, transports, created)
     values ('somebody', 'app', 'totp', 'App', '${sealed}', '{}', now()), ('somebody', 'key', 'passkey', 'Key', null, '{}', now())`,
  );
}

async function openAll(databaseUrl: string, secretKey: string) {
  const box = createSecretBox(secretKey, randomBytes);
  const tables = await readRows(databaseUrl);
  return encryptedColumns.flatMap(({ table, column, id, ownerOf }) =>
    ((tables[table] ?? []) as Record<string, string>[]).flatMap((row) => {
      const text = row[column];
      const owner = ownerOf(...id.map((name) => row[name] ?? ''));
      return text ? [`${table}.${column} ${owner} ${openedOrNull(() => box.open(text, owner))}`] : [];
    }),
  );
}

test('after a change of the secret key, every permanent secret is encrypted with the new one only, however often it is repeated', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  await seal(app);
  const before = await openAll(app.databaseUrl, testSecretKey);
  expect(before).toHaveLength(9);
  expect(before.filter((line) => line.endsWith(' null'))).toEqual([]);
  const file = folder.at('next');
  await writeFile(file, `${next}\n`);
  const source = { dataDir: folder.at('data'), databaseUrl: app.databaseUrl };
  const change = (secretKey = testSecretKey) =>
    runOps(['secret-key', 'change', file], { ...source, secretKey });

  const rows = await readRows(app.databaseUrl);
  expect(await change('not the key of the servers')).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('The current key cannot decrypt any stored secret'),
  });
  expect(await readRows(app.databaseUrl)).toEqual(rows);

  for (const _time of [1, 2]) {
    expect(await change()).toEqual({
      exitCode: 0,
      output: expect.stringMatching(/^Encrypted 9 secrets with the key in .*\nSet SECRET_KEY to the new key/),
    });
    expect(await openAll(app.databaseUrl, next)).toEqual(before);
    expect((await openAll(app.databaseUrl, testSecretKey)).every((line) => line.endsWith(' null'))).toBe(
      true,
    );
  }
});

test('the secret key of an installation that stores it in a file is replaced there, readable only by its user', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  await seal(app);
  const [file, own] = [folder.at('next'), folder.at('secret-key')];
  await writeFile(file, next);
  await writeFile(own, `${testSecretKey}\n`, { mode: 0o600 });
  const change = () =>
    runOps(['secret-key', 'change', file], {
      dataDir: folder.at(),
      databaseUrl: app.databaseUrl,
      secretKey: '',
    });
  expect(await change()).toEqual({
    exitCode: 0,
    output: expect.stringContaining(`Stored the new key in ${own}`),
  });
  expect(await readFile(own, 'utf8')).toBe(`${next}\n`);
  expect((await stat(own)).mode & 0o777).toBe(0o600);
  expect((await openAll(app.databaseUrl, next)).filter((line) => line.endsWith(' null'))).toEqual([]);

  await writeFile(file, 'short');
  expect(await change()).toEqual({
    exitCode: 1,
    output: expect.stringContaining(`${file}: expected at least 16 characters`),
  });
});

test('a secret key in a file is not changed while a process uses it', async () => {
  await using app = await startApp();
  await using folder = await makeFolder();
  const [file, own] = [folder.at('next'), folder.at('secret-key')];
  await writeFile(file, next);
  await writeFile(own, `${testSecretKey}\n`);
  const change = () =>
    runOps(['secret-key', 'change', file], {
      dataDir: folder.at(),
      databaseUrl: app.databaseUrl,
      secretKey: '',
    });
  for (const start of [startServerProcess, startWorker]) {
    await using _running = await start(app.databaseUrl);
    const before = await readRows(app.databaseUrl);
    expect(await change()).toEqual({
      exitCode: 1,
      output: expect.stringMatching(/^The current key is in use by running processes \((server|worker)\)/),
    });
    expect(await readRows(app.databaseUrl)).toEqual(before);
    expect(await readFile(own, 'utf8')).toBe(`${testSecretKey}\n`);
  }
  expect(await change()).toMatchObject({ exitCode: 0 });
});

const startWorker = (DATABASE_URL: string) => startWorkerProcess({ DATABASE_URL, SECRET_KEY: testSecretKey });

test('every encrypted column is either covered by a key change or expires within a day', async () => {
  await using app = await startApp();
  const columns = await app.deps.database.em.execute<{ name: string }[]>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name like '%\\_sealed'`,
  );
  const encrypted = encryptedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(columns.map(({ name }) => name).toSorted()).toEqual([...encrypted, ...passing].toSorted());
});

test('a worker with the changed secret key delivers events from before the change', async () => {
  await using stage = await startStage();
  await using folder = await makeFolder();
  const receiver = await stage.startReceiver();
  await stage.subscribe(receiver.url);
  expect(await stage.write('Before')).toBe(201);
  await writeFile(folder.at('next'), next);
  const source = { dataDir: folder.at('data'), databaseUrl: stage.app.databaseUrl };
  expect(await runOps(['secret-key', 'change', folder.at('next')], source)).toMatchObject({ exitCode: 0 });
  await stage.startWorker({ SECRET_KEY: next });
  await eventually(() => receiver.arrivals.some(({ title }) => title === 'Before'));
});
