import { runMigrations } from 'graphile-worker';
import type { Database } from './config.ts';
import { openJobPool } from './job-pool.ts';
import { withLock } from './lock.ts';

/**
 * Brings the tables and the job queue up to date, and tells which migrations that took. Safe to call from several
 * processes at once: one works, the others wait.
 */
export async function migrate(database: Database, url: string): Promise<string[]> {
  return withLock(url, 'migrate', async () => {
    const done = await database.migrator.up();
    const pgPool = openJobPool(url);
    await runMigrations({ pgPool }).finally(() => pgPool.end());
    return done.map(({ name }) => name);
  });
}
