import { locks } from '../../shared/db/advisory-lock.ts';
import type { TestApp } from './app.ts';
import { rowsOf } from './archives.ts';

/** Evaluates an SQL expression for each connection that locks a site for a transfer. */
export const siteLockHolders = (app: TestApp, expression = 'pid') =>
  rowsOf(
    app,
    `select ${expression} from pg_locks join pg_database d on d.oid = database and d.datname = current_database()
     where locktype = 'advisory' and classid = ${locks.heldSite}`,
  );
