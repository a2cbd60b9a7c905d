import type { Database } from '../../shared/db/config.ts';
import type { TestApp } from './app.ts';
import { atLeisure } from './at-leisure.ts';

/**
 * From now on PostgreSQL learns of tables what a test has it learn. By itself it looks at one that was filled within a minute or
 * so: in the middle of a test, and where a machine is fast after its end.
 */
export const gatherNoStatistics = ({ em }: Pick<Database, 'em'>) =>
  em.execute(`do $$ declare filled regclass; begin
    for filled in select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = off)', filled);
    end loop;
  end $$`);

/**
 * Has PostgreSQL go over a table as it does by itself a while after it was filled, with statistics or without: from then on it
 * may answer from an index alone.
 */
export async function goOver(
  app: Pick<TestApp, 'databaseUrl'>,
  table: string,
  { statistics }: { statistics: boolean },
) {
  // A row is known to be seen by all only once its commit is on the disk, for which commits of tests do not wait.
  await atLeisure(app, `set synchronous_commit = on; select pg_logical_emit_message(true, 'test', '')`);
  await atLeisure(app, `${statistics ? 'vacuum analyze' : 'vacuum'} ${table}`);
}
