import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { unpackChromium } from './browser.ts';
import { makeDatabaseFolder } from './database-folder.ts';
import { startOldestServer } from './oldest-database.ts';
import { runNode } from './process.ts';
import { migrateTemplate } from './template-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a PostgreSQL superuser. Each test app clones the database `template_app`. */
    databaseUrl: string;
    /** Folder for files that several test files share. */
    runFolder: string;
  }
}

/**
 * Sets up the whole run: one PostgreSQL with a migrated database to clone, the bundle of the service, and the browser.
 */
export default async function setUp(project: TestProject) {
  await using stack = new AsyncDisposableStack();
  const bundling = runNode(['server/start/bundle.ts']);
  const dataDir = await makeDatabaseFolder('creator-content-test-');
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startServer(dataDir);
  stack.defer(() => postgres.stop());
  await migrateTemplate(postgres.url);
  await unpackChromium();
  const { exitCode, output } = await bundling;
  if (exitCode !== 0) throw new Error(`Bundling the service failed:\n${output}`);
  const runFolder = await mkdtemp(path.join(tmpdir(), 'creator-content-run-'));
  stack.defer(() => rm(runFolder, { recursive: true, force: true }));
  project.provide('databaseUrl', postgres.url);
  project.provide('runFolder', runFolder);
  const all = stack.move();
  return () => all.disposeAsync();
}

/** Starts the embedded PostgreSQL, or with `POSTGRES=15` the oldest version that is supported. */
async function startServer(dataDir: string) {
  if (process.env.POSTGRES === '15') {
    return startOldestServer(dataDir, { fsync: 'off', synchronous_commit: 'off', max_connections: '200' });
  }
  const postgres = await startEmbeddedDatabase({ dataDir, durable: false });
  await hashPasswordOnce(postgres.url);
  return postgres;
}

/**
 * Sets the superuser's password to be hashed once instead of 4,096 times. The hashing is most of the time of opening a
 * connection.
 */
async function hashPasswordOnce(url: string) {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query('set scram_iterations = 1');
  await admin.query(`alter role current_user password '${new URL(url).password}'`).finally(() => admin.end());
}
