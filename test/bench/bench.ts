import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '../../shared/db/config.ts';
import { migrate } from '../../shared/db/migrate.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { startOldestServer } from '../support/oldest-database.ts';
import { databaseAt } from '../support/template-database.ts';
import { familyCpuSeconds, parentOf } from './processes.ts';
import type { Row } from './report.ts';

/** Tools and sizes for the measurements of a part. */
export interface Bench {
  /** Creates an empty, migrated database with this name and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** CPU time of PostgreSQL since its start; null if the machine does not report it. */
  databaseCpuSeconds(): Promise<number | null>;
  /** Length of one measurement in seconds. */
  seconds: number;
  /** Number of repetitions of each measurement. Compared measurements alternate. */
  rounds: number;
  /** Length of a measurement of sustained load, in seconds. */
  longSeconds: number;
  /** Length of the soak in minutes, and the number of records that it writes per second. */
  soak: { minutes: number; perSecond: number };
}

/** Group of measurements, of limited duration. */
export type Part = (bench: Bench) => Promise<Omit<Row, 'part'>[]>;

/**
 * Starts a PostgreSQL that flushes every commit, on the disk of the checkout instead of an in-memory `/tmp`. It is the
 * embedded version, or the oldest supported one.
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

/** Finds the parent process of all processes of a PostgreSQL; null if unknown. */
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
