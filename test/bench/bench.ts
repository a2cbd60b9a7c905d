import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { databaseAt } from '../support/database.ts';
import { startOldestServer } from '../support/oldest-database.ts';
import { familyCpuSeconds, parentOf } from './processes.ts';
import type { Row } from './report.ts';

/** What a part measures with. */
export interface Bench {
  /** Makes an empty, migrated database of that name and gives its address. */
  createDatabase(name: string): Promise<string>;
  /** CPU time of the PostgreSQL so far; null where the machine doesn't tell. */
  databaseCpuSeconds(): Promise<number | null>;
  /** Length of one measurement. */
  seconds: number;
  /** How often each measurement is repeated; those compared with each other take turns. */
  rounds: number;
  /** Seconds of a measurement that shows that something lasts. */
  longSeconds: number;
  /** How long the soak lasts, and how many records it writes a second. */
  soak: { minutes: number; perSecond: number };
}

/** One group of measurements: bounded, and over when it resolves. */
export type Part = (bench: Bench) => Promise<Omit<Row, 'part'>[]>;

/**
 * Starts a PostgreSQL that keeps its word at every commit, on the disk of the checkout rather than in a `/tmp` of memory: the one
 * that comes with the service, or the oldest that is supported.
 */
export async function startBench(
  isOldest: boolean,
  sizes: Pick<Bench, 'seconds' | 'rounds' | 'longSeconds' | 'soak'>,
) {
  const parent = path.resolve(import.meta.dirname, '../../.data');
  await mkdir(parent, { recursive: true });
  const dataDir = await mkdtemp(path.join(parent, 'bench-'));
  const postgres = await (isOldest
    ? startOldestServer(dataDir)
    : startEmbeddedDatabase({ dataDir, durable: true }));
  const postmaster = await findPostmaster(postgres.url);
  const bench: Bench = {
    ...sizes,
    databaseCpuSeconds: async () => (postmaster === null ? null : familyCpuSeconds(postmaster)),
    createDatabase: (name) => createDatabase(postgres.url, name),
  };
  return {
    bench,
    async [Symbol.asyncDispose]() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The id of the process that a PostgreSQL's others come from. */
async function findPostmaster(serverUrl: string): Promise<number | null> {
  const admin = await openDatabase({ url: serverUrl, poolSize: 1, applicationName: 'bench-admin' });
  const [row] = await admin.em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
  const postmaster = row ? await parentOf(row.pid) : null;
  await admin.close();
  return postmaster;
}

async function createDatabase(serverUrl: string, name: string) {
  const admin = await openDatabase({ url: serverUrl, poolSize: 1, applicationName: 'bench-admin' });
  await admin.em.execute(`drop database if exists ${name}`);
  await admin.em.execute(`create database ${name}`);
  await admin.close();
  const url = databaseAt(serverUrl, name);
  await migrate(url);
  return url;
}
