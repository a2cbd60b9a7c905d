import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import type { Database } from './config.ts';

/** One number for every process of this service that might migrate at the same moment. */
const migrationLock = 4_210_871;

/** Brings the tables and the job queue up to date. Safe to call from several processes at once: one works, the others wait. */
export async function migrate(database: Database, url: string): Promise<void> {
  const guard = new pg.Client({ connectionString: url });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    await database.migrator.up();
    await runMigrations({ connectionString: url });
  } finally {
    await guard.end();
  }
}
