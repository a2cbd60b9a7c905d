import { type RawBuilder, sql } from 'kysely';
import { viewLimits as views } from '../contract/features/analytics.ts';
import { locks } from './advisory-lock.ts';
import type { Database } from './config.ts';

/** Creates missing partitions of raw views for days, given as `YYYY-MM-DD` in UTC. */
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

/** Returns the days that have a partition of raw views, as `YYYY-MM-DD` in UTC, oldest first. */
export async function partitionDays(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'page_views'::regclass order by c.relname`.execute(database.em.getKysely());
  return rows.map(({ name }) => name.replace(/^page_views_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
}

/**
 * Deletes the raw views of a day, given as `YYYY-MM-DD` in UTC, with their partition. A missing partition is ignored.
 */
export async function dropDay(database: Database, day: string): Promise<void> {
  await sql`drop table if exists ${sql.table(partitionOf(day))}`.execute(database.em.getKysely());
}

const partitionOf = (day: string) => `page_views_${day.replaceAll('-', '')}`;

/** Returns the day of `date` in UTC, as `YYYY-MM-DD`. */
export const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** Returns the day that is `days` later; earlier if negative. */
export const dayAfter = (day: string, days = 1) => dayOf(new Date(Date.parse(day) + days * 86_400_000));

/** Number of views with one label in one dimension. Only `total` has visitors and the day, and its label is empty. */
export interface ViewCount {
  dimension: 'total' | keyof typeof views.labelsPerDay;
  day: string | null;
  /** In `utm`: source, medium and campaign as a JSON list. */
  label: string;
  views: number;
  visitors: number;
}

/** Label for the views of a day whose labels exceed the limit. No path begins with `(`, and no host has this name. */
export const otherLabel = '(other)';

/** SQL for the three UTM values as one label; empty if none is set. */
export const utmLabel = sql`case when utm_source || utm_medium || utm_campaign <> ''
  then json_build_array(utm_source, utm_medium, utm_campaign)::text else '' end`;

const { path, referrer, utm } = views.labelsPerDay;

/** SQL for the maximum number of labels per site and day, by the column `dimension`. */
export const labelsPerDay = sql`case dimension when 'path' then ${sql.lit(path)} when 'referrer' then ${sql.lit(referrer)}
  else ${sql.lit(utm)} end`;

const other = sql.lit(otherLabel);

/** SQL for the label of the other views, by the column `dimension`. A list is written as PostgreSQL writes JSON. */
const others = sql`case dimension when 'utm' then ${sql.lit(JSON.stringify([otherLabel, otherLabel, otherLabel]).replaceAll(',', ', '))} else ${other} end`;

/**
 * SQL that counts the raw views that meet `condition`, in one scan: `dimension`, `label`, `views`, `visitors`. They
 * must belong to one site and day. If labels exceed the limit, those with the most views are kept. That is rare,
 * because the limit also applies when views are stored.
 */
export const countViews = (condition: RawBuilder<unknown>) => sql`
  with grouped as materialized (${groupViews(condition)}),
  excess as materialized (
    select dimension from grouped where dimension <> 'total' and label <> '' and label <> ${others}
    group by dimension having count(*) > ${labelsPerDay}
  )
  select 'total' as dimension, '' as label, sum(views)::integer as views, count(*)::integer as visitors from grouped
  where dimension = 'total' having count(*) > 0
  union all
  select dimension, label, views::integer, 0 from grouped
  where dimension <> 'total' and label <> '' and dimension not in (select dimension from excess)
  union all
  select dimension, case when place <= ${labelsPerDay} then label else ${others} end, sum(views)::integer, 0
  from (
    select *, row_number() over (
      partition by dimension order by label = ${others}, views desc, label collate "C"
    ) as place
    from grouped where label <> '' and dimension in (select dimension from excess)
  ) placed group by 1, 2`;

/** SQL for one row per visitor and one per label of each dimension. */
const groupViews = (condition: RawBuilder<unknown>) => sql`
  select count(*) as views,
    case when grouping(visitor) = 0 then 'total' when grouping(path) = 0 then 'path'
      when grouping(referrer) = 0 then 'referrer' else 'utm' end as dimension,
    case when grouping(visitor) = 0 then '' when grouping(path) = 0 then path when grouping(referrer) = 0 then referrer
      else ${utmLabel} end as label
  from page_views where ${condition}
  group by grouping sets ((visitor), (path), (referrer), (utm_source, utm_medium, utm_campaign))`;
