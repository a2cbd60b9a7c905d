import { sql } from 'kysely';
import type { Database } from './config.ts';

const oldestVersion = 15;

/** Throws with what to do when the database can't be reached, or is older than this service needs. */
export async function checkDatabase({ em }: Database): Promise<void> {
  const query = sql<{
    version: number;
  }>`select current_setting('server_version_num')::integer / 10000 as version`;
  const { rows } = await query.execute(em.getKysely()).catch((cause: unknown) => {
    const message = `The database can't be used: ${reasonOf(cause)}. Is PostgreSQL running, and DATABASE_URL right?`;
    throw new Error(message, { cause });
  });
  const version = rows[0]?.version ?? 0;
  if (version < oldestVersion) {
    throw new Error(`The database is PostgreSQL ${version}; it has to be ${oldestVersion} or newer.`);
  }
}

/** A name with several addresses fails with an error for each, and no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
