import { chown, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { startApp } from '../support/app.ts';
import { calls } from '../support/calls.ts';
import { makeDatabaseFolder } from '../support/database-folder.ts';
import { startStage } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { startSiteForEveryCall } from '../support/every-call.ts';
import { createCaller } from '../support/http.ts';
import { startServerProcess } from '../support/server-process.ts';
import { databaseAt } from '../support/template-database.ts';
import { createCertificate } from '../support/tls-receiver.ts';

/** Settings of a server, a database or a role that differ from those that the service needs. */
const settings = {
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kathmandu',
  default_transaction_isolation: 'serializable',
  bytea_output: 'escape',
  extra_float_digits: '-3',
  default_text_search_config: 'pg_catalog.turkish',
  standard_conforming_strings: 'off',
  escape_string_warning: 'off',
  array_nulls: 'off',
  gin_fuzzy_search_limit: '1',
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: '4s',
  lock_timeout: '1s',
  idle_in_transaction_session_timeout: '4s',
  idle_session_timeout: '4s',
  jit: 'on',
};

/** Search path without the service's schema. */
const elsewhere = 'elsewhere, public';

/**
 * Starts a PostgreSQL that another operator configured. It has different settings at each level, a Turkish locale, and
 * TLS only. Its user may create databases and nothing else.
 *
 * Its template is for `startApp`, in a separate schema. `asAdmin` runs statements in one of its databases.
 */
async function startForeignDatabase() {
  await using stack = new AsyncDisposableStack();
  const dataDir = await makeDatabaseFolder('creator-content-foreign-');
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedDatabase({ dataDir, durable: false });
  stack.defer(() => postgres.stop());
  const ca = await requireTls(dataDir, postgres.url);
  const withTls = (url: string) => {
    const address = new URL(url);
    address.searchParams.set('sslmode', 'verify-full');
    address.searchParams.set('sslrootcert', ca);
    return address.href;
  };
  const asAdmin = (statements: readonly string[], database = 'postgres') =>
    runAll(withTls(databaseAt(postgres.url, database)), statements);
  await asAdmin(["create role tenant login createdb password 'tenant'"]);
  for (const [name, value] of Object.entries(settings))
    await asAdmin([`alter system set ${name} = '${value}'`, `alter role tenant set ${name} = '${value}'`]);
  await asAdmin([
    `alter role tenant set search_path = ${elsewhere}`,
    "create database template_app owner tenant encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' template template0",
    ...Object.entries(settings).map(
      ([name, value]) => `alter database template_app set ${name} = '${value}'`,
    ),
    'select pg_reload_conf()',
  ]);
  await asAdmin(['create schema elsewhere authorization tenant'], 'template_app');
  const asTenant = new URL(postgres.url);
  asTenant.username = asTenant.password = 'tenant';
  const url = inSchema(withTls(asTenant.href), 'content');
  await migrate(databaseAt(url, 'template_app'));
  const cleanUp = stack.move();
  return {
    /** URL with the user, the schema and the certificate that identifies the server. */
    url,
    ca,
    asAdmin,
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

/**
 * Gives the server a certificate and refuses connections without TLS. Returns the path of the certificate of the
 * authority.
 */
async function requireTls(dataDir: string, url: string): Promise<string> {
  const [row] = await runAll(url, ['show data_directory']);
  const cluster = String(Reflect.get(Object(row), 'data_directory'));
  const { cert, private: key } = await createCertificate();
  const { uid, gid } = await stat(cluster);
  const ca = path.join(dataDir, 'ca.pem');
  for (const [file, text] of [
    [path.join(cluster, 'server.crt'), cert],
    [path.join(cluster, 'server.key'), key],
    [path.join(cluster, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n'],
    [ca, cert],
  ] as const) {
    await writeFile(file, text, { mode: file === ca ? 0o644 : 0o600 });
    await chown(file, uid, gid);
  }
  await runAll(url, ["alter system set ssl = 'on'", 'select pg_reload_conf()']);
  return ca;
}

/** Runs statements one by one, and returns the rows of the last. */
async function runAll(url: string, statements: readonly string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

// Runs on a PostgreSQL with unusual settings: nothing may depend on defaults of the server, the database or the role.

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
  const timestamps = ['2026-03-04 05:06:07.000Z', '2026-04-03 05:06:07.000Z', '2026-12-01 00:00:00.000Z'];
  for (const [n, published_at] of timestamps.entries())
    await app.post('/api/v1/posts', { key, body: { title: `İstanbul ıI ${n}`, published_at } });
  const { body } = await app.get('/api/v1/posts?sort=title&fields=title,published_at', { key });
  const data = timestamps.map((published_at, n) => ({ title: `İstanbul ıI ${n}`, published_at }));
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
  await eventually(() => receiver.arrivals.length === 1);
  await foreign.asAdmin(["select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tenant'"]);
  await eventually(async () => (await write('Second')).status === 201);
  await eventually(() => receiver.arrivals.some(({ title }) => title === 'Second'));
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
