import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../shared/db/config.ts';
import { ensureDays } from '../../../shared/db/page-views.ts';
import type { View } from './view.ts';

/** Stores views in one statement. All of them are kept, or the promise rejects. */
export const insertViews = (database: Database, views: readonly View[]): Promise<void> =>
  withDays(database, views, () => insert(database.em.getKysely(), views));

/** Stores a view within a transaction, which goes on when its day is yet to be made. */
export const insertViewWithin = (transaction: Database, view: View): Promise<void> =>
  withDays(transaction, [view], () =>
    transaction.em.fork().transactional((em) => insert(em.getKysely(), [view])),
  );

const insert = (db: Kysely<unknown>, views: readonly View[]) =>
  sql`
    insert into page_views (site_id, day, path, referrer, utm_source, utm_medium, utm_campaign, visitor)
    select * from json_to_recordset(${JSON.stringify(views)}::json) as v(
      site_id text, day date, path text, referrer text, utm_source text, utm_medium text, utm_campaign text, visitor bigint
    )`.execute(db);

async function withDays(database: Database, views: readonly View[], store: () => Promise<unknown>) {
  try {
    await store();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await ensureDays(database, new Set(views.map((view) => view.day)));
    await store();
  }
}

/** PostgreSQL's check_violation: no partition takes the row. */
const isMissingPartition = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '23514';
