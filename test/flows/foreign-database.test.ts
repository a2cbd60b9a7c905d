import { afterAll, expect, test, vi } from 'vitest';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { startApp } from '../support/app.ts';
import { calls } from '../support/calls.ts';
import { eventually } from '../support/eventually.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { startForeignDatabase } from '../support/foreign-database.ts';
import { createCaller } from '../support/http.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startStage } from '../support/stage.ts';
import { databaseAt } from '../support/template-database.ts';

// Runs on a PostgreSQL with unusual settings: nothing may depend on defaults of the server, the database or the role.

vi.setConfig({ testTimeout: 240_000 });

const foreign = await startForeignDatabase();
afterAll(() => foreign[Symbol.asyncDispose]());

test('every procedure works, including repetitions with an idempotency key', async () => {
  await using site = await startSiteForEveryCall(undefined, { serverUrl: foreign.url });
  await site.fill();
  for (const call of calls.filter(({ title }) => title.startsWith('RPC '))) await site.succeed(call);
});

test('timestamps and dates are read as written, and lists are in order', async () => {
  await using app = await startApp({ serverUrl: foreign.url });
  const key = await app.seed.key();
  const moments = ['2026-03-04 05:06:07.000Z', '2026-04-03 05:06:07.000Z', '2026-12-01 00:00:00.000Z'];
  for (const [n, published_at] of moments.entries())
    await app.post('/api/v1/posts', { key, body: { title: `İstanbul ıI ${n}`, published_at } });
  const { body } = await app.get('/api/v1/posts?sort=title&fields=title,published_at', { key });
  const data = moments.map((published_at, n) => ({ title: `İstanbul ıI ${n}`, published_at }));
  expect(body).toMatchObject({ data, total: 3 });
  await app.post('/api/v1/talks', { key, body: { title: 'Talk', date: '2026-04-03' } });
  const talks = async (from: string) => (await app.get(`/api/v1/talks?date_from=${from}`, { key })).body;
  expect(await talks('2026-04-01')).toMatchObject({ data: [{ date: '2026-04-03' }] });
  expect(await talks('2026-04-04')).toEqual({ data: [] });
});

test('server and worker publish and deliver in the schema of DATABASE_SCHEMA, even after all their sessions were ended', async () => {
  await using stage = await startStage({ serverUrl: foreign.url });
  const address = new URL(stage.app.databaseUrl);
  address.searchParams.delete('schema');
  const settings = { DATABASE_URL: address.href, DATABASE_SCHEMA: 'content' };
  const receiver = await stage.startReceiver();
  await stage.subscribe(receiver.url);
  const key = await stage.app.seed.key();
  await using server = await startServerProcess(address.href, settings);
  await stage.startWorker(settings);
  const call = createCaller(server.baseUrl);
  const write = (title: string) => call('POST', '/api/v1/posts', { key, body: { title } });
  expect(await write('First')).toMatchObject({ status: 201 });
  await eventually(() => receiver.arrivals.length === 1, 60_000);
  await foreign.asAdmin(["select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tenant'"]);
  await eventually(async () => (await write('Second')).status === 201, 60_000);
  await eventually(() => receiver.arrivals.some(({ title }) => title === 'Second'), 60_000);
});

test("installations in separate schemas share a database without seeing each other's data", async () => {
  await foreign.asAdmin(['create database shared owner tenant']);
  const installations = ['first', 'second'].map((schema) =>
    inSchema(databaseAt(foreign.url, 'shared'), schema),
  );
  for (const url of installations) {
    await migrate(url);
    expect(await migrate(url)).toEqual([]);
  }
  const [jobs, none] = await Promise.all(
    installations.map(async (url, n) => {
      const database = await openDatabase({ url, poolSize: 1, applicationName: 'test' });
      if (n === 0) await database.em.execute("select add_job('fan_out_event', '{}')");
      const rows = await database.em.execute('select task_identifier from jobs');
      return database.close().then(() => rows);
    }),
  );
  expect([jobs, none]).toEqual([[{ task_identifier: 'fan_out_event' }], []]);
});

test('a missing requirement of the database is reported at the start, with instructions', async () => {
  await foreign.asAdmin([
    "create database latin owner tenant encoding 'LATIN1' locale 'C' template template0",
    'create database foreign_one',
    'create database without_extension owner tenant',
    'revoke create on database without_extension from tenant',
    'alter database without_extension owner to postgres',
    'create database standby owner tenant',
    'alter database standby set default_transaction_read_only = on',
  ]);
  await foreign.asAdmin(['create schema closed'], 'foreign_one');
  await foreign.asAdmin(['create schema content authorization tenant'], 'without_extension');
  const warnings: string[] = [];
  const check = (name: string, schema = 'content') =>
    checkDatabase(inSchema(databaseAt(foreign.url, name), schema), {
      warn: (message) => warnings.push(message),
    });
  await expect(check('nowhere')).rejects.toThrow(
    /^Database unavailable: .*"nowhere".* DATABASE_URL is correct\.$/,
  );
  await expect(check('latin')).rejects.toThrow(/^The database has the encoding LATIN1, .*encoding 'UTF8'/);
  await expect(check('foreign_one', 'closed')).rejects.toThrow(
    'Permission denied: the user tenant cannot create tables in the schema closed. Run `grant create, usage on schema closed to "tenant"`',
  );
  await expect(check('foreign_one', 'missing')).rejects.toThrow(
    'The schema missing does not exist, and the user tenant has no permission to create it: run `create schema missing authorization "tenant"`',
  );
  await expect(check('without_extension')).rejects.toThrow(
    'The extension btree_gin is not installed, and the user tenant has no permission to install it: run `create extension btree_gin`',
  );
  expect(warnings).toEqual([]);
  await check('standby');
  expect(warnings).toEqual([expect.stringMatching(/^The database is read-only: /)]);
});

test('if a password may be encoded incorrectly, the error states how to encode it', async () => {
  const hint = /DATABASE_URL is correct\. In a password, percent-encode the characters @ .* as %40 /;
  const check = (url: URL | string) => checkDatabase(String(url), { warn: () => undefined });
  await expect(check('postgres://tenant:half@other-half.invalid:5432/content')).rejects.toThrow(hint);
  const wrong = new URL(foreign.url);
  wrong.password = 'another';
  await expect(check(wrong)).rejects.toThrow(hint);
});

test('a server with an untrusted certificate is not connected to', async () => {
  const address = new URL(foreign.url);
  address.searchParams.delete('sslrootcert');
  const database = await openDatabase({ url: address.href, poolSize: 1, applicationName: 'test' });
  await expect(database.em.execute('select 1')).rejects.toThrow('self-signed certificate');
  await database.close();
});
