import { sql } from 'kysely';
import { retentionDays } from '../../shared/contract/limits.ts';
import { locks } from '../../shared/db/advisory-lock.ts';
import type { Database } from '../../shared/db/config.ts';
import {
  countViews,
  dayAfter,
  dayOf,
  dropDay,
  ensureDays,
  partitionDays,
} from '../../shared/db/page-views.ts';

/** Time after the end of a day before it is counted, in milliseconds: its last views are still being stored. */
const settleMs = 60_000;

/**
 * Counts page views of every finished day that is not counted yet, and drops raw views past their retention. Then
 * creates the partitions of today and tomorrow, and deletes the salts of earlier days. Safe to run at any time and in
 * several workers.
 */
export async function rollUpViews(database: Database, now: Date): Promise<void> {
  const today = dayOf(now);
  const settled = dayOf(new Date(now.getTime() - settleMs));
  for (const day of await partitionDays(database)) {
    if (day < settled) await rollUpDay(database, day);
    if (day <= dayAfter(today, -retentionDays.views)) await dropDay(database, day);
  }
  await ensureDays(database, [today, dayAfter(today)]);
  await sql`delete from page_view_salts where day < ${today}`.execute(database.em.getKysely());
}

/**
 * Counts one day. Its row in `page_view_rollups` marks it as counted, and the lock lets one worker count it.
 *
 * An open write transaction holds back newer events from followers. All sites are therefore counted before the first
 * row is written; ordering by dimension first makes PostgreSQL do so.
 */
async function rollUpDay(database: Database, day: string): Promise<void> {
  await database.em.fork().transactional(async (em) => {
    const db = em.getKysely();
    await sql`select pg_advisory_xact_lock(${locks.rollUp}::integer, hashtext(${day}))`.execute(db);
    const { rows } = await sql`select from page_view_rollups where day = ${day}`.execute(db);
    if (rows.length > 0) return;
    await sql`
      insert into page_view_days (site_id, day, dimension, label, views, visitors)
      select site.id, ${day}::date, counted.dimension, counted.label, counted.views, counted.visitors
      from (select distinct site_id as id from page_views where day = ${day}) site
      cross join lateral (${countViews(sql`site_id = site.id and day = ${day}`)}) counted
      order by counted.dimension, site.id`.execute(db);
    await sql`insert into page_view_rollups (day) values (${day})`.execute(db);
  });
}
