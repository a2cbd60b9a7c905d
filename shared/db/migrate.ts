import { type Database, openDatabase } from './config.ts';
import { openJobPool } from './job-pool.ts';
import { withLock } from './lock.ts';
import { schemasOf } from './schema.ts';

/**
 * Brings the tables and the job queue up to date, and tells which migrations that took. Safe to call from several
 * processes at once: one works, the others wait. On connections of its own, since a migration may take as long as it
 * takes.
 *
 * @param only these migrations; throws, with nothing changed, when one of them is of a later version than this one
 */
export async function migrate(url: string, only?: string[]): Promise<string[]> {
  return withLock(url, 'migrate', async () => {
    const database = await openDatabase({ url, poolSize: 1, applicationName: 'migrate' });
    const work = only ? applyOnly(database, only) : database.migrator.up();
    const done = await work.finally(() => database.close());
    const pgPool = openJobPool(url);
    const { runMigrations } = await import('graphile-worker');
    await runMigrations({ pgPool, schema: schemasOf(url).jobs }).finally(() => pgPool.end());
    return done.map(({ name }) => name);
  });
}

async function applyOnly({ migrator }: Database, names: string[]) {
  const known = [...(await migrator.getPending()), ...(await migrator.getExecuted())];
  const unknown = names.filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0)
    throw new Error(
      `This version lacks the migrations ${unknown.join(', ')}: use the one that they came with.`,
    );
  return migrator.up({ migrations: names });
}

/** Names of the migrations that the database lacks. */
export async function findPendingMigrations({ migrator }: Database): Promise<string[]> {
  const pending = await migrator.getPending();
  return pending.map(({ name }) => name);
}

/** Throws with what to do when the database is behind this version. */
export async function requireMigrated(database: Database): Promise<void> {
  const pending = await findPendingMigrations(database);
  if (pending.length === 0) return;
  const names = pending.join(', ');
  throw new Error(
    `The database lacks migrations (${names}): run \`npx -y pnpm ops migrate\`, then start again.`,
  );
}
