import type { Database } from '../../shared/db/config.ts';
import { SessionClient } from '../../shared/db/session.ts';
import type { TestApp } from './app.ts';

/**
 * Turns off automatic statistics, so that PostgreSQL knows only what a test collects. Otherwise it analyzes a filled
 * table after about a minute: in the middle of a slow test, or after the end of a fast one.
 */
export const gatherNoStatistics = ({ em }: Pick<Database, 'em'>) =>
  em.execute(`do $$ declare filled regclass; begin
    for filled in select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = off)', filled);
    end loop;
  end $$`);

/**
 * Vacuums a table as PostgreSQL does automatically after it was filled, with or without statistics. After that
 * PostgreSQL can answer from an index alone.
 */
export async function goOver(
  app: Pick<TestApp, 'databaseUrl'>,
  table: string,
  { statistics }: { statistics: boolean },
) {
  // A row becomes visible to all only after its commit is on disk, and commits of tests do not wait for the disk.
  await runSlowStatement(
    app,
    `set synchronous_commit = on; select pg_logical_emit_message(true, 'test', '')`,
  );
  await runSlowStatement(app, `${statistics ? 'vacuum analyze' : 'vacuum'} ${table}`);
}

/** Runs a statement that takes longer than the time limit of an app's connections. */
export async function runSlowStatement({ databaseUrl }: Pick<TestApp, 'databaseUrl'>, statement: string) {
  const client = new SessionClient({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
