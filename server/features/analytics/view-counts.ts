import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { ViewFilter } from '../../../shared/contract/features/analytics.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { countViews, type ViewCount } from '../../../shared/db/page-view-counts.ts';
import { singleFlightByKey } from '../../../shared/single-flight.ts';
import type { StoreDeps } from '../../kernel/deps.ts';

/** Counts page views. */
export interface ViewCounts {
  /**
   * Totals by day, and of paths, referrers and campaigns those with the most views of all the days, in order; of the views
   * that `only` names, as far back as there are raw ones.
   */
  count(siteId: string, days: readonly string[], only?: ViewFilter): Promise<readonly ViewCount[]>;
}

/** Most bytes that the sums kept by one process take, roughly. */
const mostBytes = 16 * 1024 * 1024;

/** How many labels an answer has. */
const highest = { path: 10, referrer: 10, utm: 20 } as const;

interface Question {
  siteId: string;
  days: readonly string[];
  only: ViewFilter;
}

/** Labels that raw views have and nothing was kept of, with their sums: what is told besides an answer. */
type Row = Omit<ViewCount, 'dimension'> & { dimension: ViewCount['dimension'] | 'learned' };

/**
 * Counts views in the database, so that however many labels there are, a process gets the highest alone. Finished days
 * never change, so little of their sums is kept and enough: the labels that are highest in them, and those that the raw
 * views of other days have too. No other label can be among the highest. Who asks the same at the same time shares the count.
 */
export function createViewCounts({ database }: Pick<StoreDeps, 'database'>): ViewCounts {
  const sums = new LRUCache<string, { json: string }>({
    maxSize: mostBytes,
    sizeCalculation: ({ json }, key) => 2 * (key.length + json.length) + 1,
  });

  const count = singleFlightByKey(async (question: Question) => {
    const db = database.em.getKysely();
    const { siteId, days, only } = question;
    if (Object.keys(only).length > 0) {
      return (await highestOf(rawCounts(question)).execute(db)).rows;
    }
    // Asked first, so that only the partitions of the others are looked at; one that is rolled up in between still has its raw rows.
    const rolledUp = await sql<{ day: string }>`
      select day::text from page_view_rollups where day = any(${days}::date[]) order by day`.execute(db);
    const finished = { siteId, only, days: rolledUp.rows.map(({ day }) => day) };
    const others = { siteId, only, days: days.filter((day) => !finished.days.includes(day)) };
    const key = [siteId, ...finished.days].join(' ');
    const json = sums.get(key)?.json ?? (await highestFinished(finished));
    const { rows } = await countWith(json, finished, others).execute(db);
    const learned = rows.find(({ dimension }) => dimension === 'learned')?.label;
    sums.set(key, { json: learned === undefined ? json : joinLists(json, learned) });
    return rows.filter((row): row is ViewCount => row.dimension !== 'learned');
  });

  /** The highest sums of finished days, as JSON. */
  async function highestFinished(question: Question): Promise<string> {
    const { rows } = await sql<{ json: string }>`
      select coalesce(json_agg(counted), '[]')::text as json from (${finishedCounts(question)}) counted`.execute(
      database.em.getKysely(),
    );
    return rows[0]?.json ?? '[]';
  }

  return {
    count: (siteId, days, only = {}) =>
      count(JSON.stringify([siteId, days, Object.entries(only).toSorted()]), { siteId, days, only }),
  };
}

/** One JSON list of two that are not read here. */
const joinLists = (first: string, second: string) =>
  first === '[]' ? second : `${first.slice(0, -1)},${second.slice(1)}`;

const ofDays = ({ siteId, days }: Omit<Question, 'only'>) =>
  sql`site_id = ${siteId} and day = any(${days}::date[])`;

/** Each dimension by itself: of many labels only the highest are sorted. */
const finishedCounts = (question: Question) => sql`
  ${sql.join(
    keysOf(highest).map(
      (dimension) => sql`(
        select dimension, null::date as day, label, sum(views) as views, 0 as visitors from page_view_days
        where ${ofDays(question)} and dimension = ${sql.lit(dimension)} group by dimension, label
        order by sum(views) desc, label collate "C" limit ${sql.lit(highest[dimension])})`,
    ),
    sql` union all `,
  )}
  union all
  select dimension, day, label, views, visitors from page_view_days where ${ofDays(question)} and dimension = 'total'`;

/** An answer of kept sums and raw views, and what has to be added to the sums for it. */
const countWith = (json: string, finished: Question, others: Question) => sql<Row>`
  with kept as materialized (
    select * from json_to_recordset(${json}::json) as kept(dimension text, day date, label text, views bigint, visitors integer)
  ),
  raw as materialized (${rawCounts(others)}),
  unknown as materialized (
    select dimension, label from raw where dimension <> 'total' except select dimension, label from kept
  ),
  -- Where nothing is unknown no row is looked at; else each of them once, however many are.
  found as materialized (
    select dimension, label, sum(views) as views from page_view_days
    where (select count(*) from unknown) > 0 and ${ofDays(finished)} and dimension <> 'total'
      and coalesce((dimension, label) in (select dimension, label from unknown), false)
    group by dimension, label
  ),
  learned as materialized (
    select dimension, null::date as day, label, coalesce(views, 0) as views, 0 as visitors
    from unknown left join found using (dimension, label)
  )
  select * from (
    ${highestOf(sql`select dimension, day, label, views, visitors from kept
      union all select dimension, day, label, views, visitors from raw
      union all select dimension, day, label, views, visitors from learned`)}
  ) answer
  union all
  select 'learned', null, json_agg(learned)::text, 0, 0 from learned having count(*) > 0`;

/** All days are named once more inside, for PostgreSQL to see before it starts which partitions it can leave out. */
const rawCounts = ({ siteId, days, only }: Question) => sql`
  select counted.dimension, case when counted.dimension = 'total' then asked.day end as day, counted.label, counted.views, counted.visitors
  from unnest(${days}::date[]) as asked(day)
  cross join lateral (${countViews(sql`site_id = ${siteId} and day = asked.day and day = any(${days}::date[])${meets(only)}`)}) counted`;

/** SQL: what a raw view has to be besides. */
const meets = (only: ViewFilter) =>
  sql.join(
    [sql``, ...Object.entries(only).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)],
    sql` and `,
  );

/** Of `counts` all totals, and of each other dimension the labels with the most views, by name where these are equal. */
const highestOf = (counts: RawBuilder<unknown>) => sql<ViewCount>`
  select dimension, day::text, label, views, visitors from (
    select *, row_number() over (partition by dimension order by views desc, label collate "C") as place from (
      select dimension, day, label, sum(views)::integer as views, sum(visitors)::integer as visitors
      from (${counts}) counted group by dimension, day, label having sum(views) > 0
    ) summed
  ) placed
  where dimension = 'total' or place <= case dimension
    when 'path' then ${highest.path}::integer when 'referrer' then ${highest.referrer}::integer else ${highest.utm}::integer end
  order by dimension, day, place`;
