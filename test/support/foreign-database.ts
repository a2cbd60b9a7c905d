import { chown, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../../shared/db/migrate.ts';
import { inSchema } from '../../shared/db/schema.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { makeDatabaseFolder } from './database-folder.ts';
import { databaseAt } from './template-database.ts';
import { createCertificate } from './tls-receiver.ts';

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
export async function startForeignDatabase() {
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
