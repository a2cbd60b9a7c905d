import { sql } from 'kysely';
import type { Database } from './config.ts';
import { locks } from './lock.ts';

/** Makes the partitions of raw views for days, `YYYY-MM-DD` in UTC, unless they are there. */
export async function ensureDays(database: Database, days: Iterable<string>): Promise<void> {
  await database.em.fork().transactional(async (em) => {
    const db = em.getKysely();
    await sql`select pg_advisory_xact_lock(${locks.viewPartition})`.execute(db);
    for (const day of days) {
      await sql`
        create table if not exists ${sql.table(partitionOf(day))} partition of page_views
        for values from (${sql.lit(day)}) to (${sql.lit(dayAfter(day))})`.execute(db);
    }
  });
}

/** The days that have a partition of raw views, oldest first. */
export async function partitionDays(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'page_views'::regclass order by c.relname`.execute(database.em.getKysely());
  return rows.map(({ name }) => name.replace(/^page_views_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
}

export async function dropDay(database: Database, day: string): Promise<void> {
  await sql`drop table if exists ${sql.table(partitionOf(day))}`.execute(database.em.getKysely());
}

const partitionOf = (day: string) => `page_views_${day.replaceAll('-', '')}`;

/** The day in UTC that `date` falls on, `YYYY-MM-DD`. */
export const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** The day `days` later, or earlier for a negative number. */
export const dayAfter = (day: string, days = 1) => dayOf(new Date(Date.parse(day) + days * 86_400_000));
