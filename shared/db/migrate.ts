import { opsCommand } from '../runtime/ops-command.ts';
import { withLock } from './advisory-lock.ts';
import { type Database, openDatabase } from './config.ts';
import { openJobPool } from './jobs.ts';
import { migrations, replaced } from './migrations/index.ts';
import { schemasOf } from './schema.ts';

/**
 * Applies pending migrations of the tables and of the job queue, and returns the names of those it applied to the tables.
 * Several processes may call it at the same time: one works, the others wait. It opens its own connections without time
 * limits. Throws an `Error`, without changes, if this version does not have one of `only`, or if the database has
 * migrations that the baseline replaced.
 *
 * @param only names of the migrations to apply
 */
export async function migrate(url: string, only?: string[]): Promise<string[]> {
  return withLock(url, 'migrate', async () => {
    const database = await openDatabase({ url, poolSize: 1, applicationName: 'migrate' });
    const work = async () => {
      await refuseReplaced(database);
      return only ? applyOnly(database, only) : database.migrator.up();
    };
    const done = await work().finally(() => database.close());
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
      `This version does not have the migrations ${unknown.join(', ')}: use the version that has them.`,
    );
  return migrator.up({ migrations: names });
}

/** Returns the names of migrations that the database does not have; empty if it is up to date. */
export async function findPendingMigrations({ migrator }: Database): Promise<string[]> {
  const pending = await migrator.getPending();
  return pending.map(({ name }) => name);
}

/**
 * Throws with instructions if the database has migrations that the baseline replaced. It cannot be upgraded in place.
 */
async function refuseReplaced({ migrator }: Database) {
  const executed = await migrator.getExecuted();
  if (!executed.some(({ name }) => name === replaced.first)) return;
  throw new Error(
    `The tables of this database were created by an earlier version that cannot be upgraded in place; nothing was changed. Move the data: with the earlier version, run \`${opsCommand('backup before.tar')}\`; then with this version and an empty database (for the embedded database, move \`.data\` away), run \`${opsCommand('restore before.tar')}\`.`,
  );
}

/**
 * Throws an `Error` with instructions if migrations are pending. It only warns if the database is newer than this
 * version, which is normal while servers are being replaced.
 */
export async function requireMigrated(
  database: Database,
  log: { warn(message: string): void },
): Promise<void> {
  const known = migrations.map(({ name }) => name);
  const executed = (await database.migrator.getExecuted()).map(({ name }) => name);
  const pending = known.filter((name) => !executed.includes(name));
  const newer = executed.filter((name) => !known.includes(name));
  if (pending.length > 0) {
    await refuseReplaced(database);
    throw new Error(
      `Pending database migrations (${pending.join(', ')}): run \`${opsCommand('migrate')}\`, then start again.`,
    );
  }
  if (newer.length > 0)
    log.warn(
      `The database was migrated by a newer version, with migrations that this version lacks (${newer.join(', ')}): use the newer version. To go back, restore a backup from before the upgrade into an empty database.`,
    );
}
