import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ViewFilter } from '../../../shared/contract/features/analytics.ts';
import { keysOf } from '../../../shared/contract/names-of.ts';
import { countViews, type ViewCount } from '../../../shared/db/page-views.ts';
import { singleFlightByKey } from '../../../shared/runtime/single-flight.ts';
import type { StoreDeps } from '../../api/deps.ts';

export interface ViewCounts {
  /**
   * Returns totals by day, and the paths, referrers and campaigns with the most views over all days, in order. With
   * `only`, counts matching views, as far back as raw rows exist.
   */
  count(siteId: string, days: readonly string[], only?: ViewFilter): Promise<readonly ViewCount[]>;
}

/** Approximate maximum size of the cached sums of a process, in bytes. */
const maxBytes = 16 * 1024 * 1024;

/** Number of labels in a response, by dimension. */
const highest = { path: 10, referrer: 10, utm: 20 } as const;

interface CountQuery {
  siteId: string;
  days: readonly string[];
  only: ViewFilter;
}

/**
 * Row of the result. The row with the dimension `learned` has JSON in its label: labels that were not cached, with
 * their sums, for the cache.
 */
type Row = Omit<ViewCount, 'dimension'> & { dimension: ViewCount['dimension'] | 'learned' };

/**
 * Counts views in the database, so that a process receives only the highest labels, however many there are. Finished
 * days never change, so their sums are cached: of the highest labels, and of those that raw views of other days have,
 * too. No other label can be among the highest. Concurrent calls with equal arguments share a query.
 */
export function createViewCounts({ database }: Pick<StoreDeps, 'database'>): ViewCounts {
  const sums = new LRUCache<string, KeptLabel>({
    maxSize: maxBytes,
    sizeCalculation: (kept, key) => 2 * (key.length + kept.join('').length) + 1,
  });

  const count = singleFlightByKey(async (query: CountQuery) => {
    const db = database.em.getKysely();
    const { siteId, days, only } = query;
    if (Object.keys(only).length > 0) {
      return (await highestOf(rawCounts(query)).execute(db)).rows;
    }
    // The rolled-up days are queried first, so that only the partitions of other days are read. A day that is
    // rolled up in between still has its raw rows.
    const rolledUp = await sql<{ day: string }>`
      select day::text from page_view_rollups where day = any(${days}::date[]) order by day`.execute(db);
    const finished = { siteId, only, days: rolledUp.rows.map(({ day }) => day) };
    const others = { siteId, only, days: days.filter((day) => !finished.days.includes(day)) };
    const key = [siteId, ...finished.days].join(' ');
    const kept = sums.get(key) ?? (await highestFinished(finished));
    const { rows } = await countWith(kept, finished, others).execute(db);
    const learned = rows.find(({ dimension }) => dimension === 'learned')?.label;
    sums.set(key, learned === undefined ? kept : joinLists(kept, KeptLabel.parse(JSON.parse(learned))));
    return rows.filter((row): row is ViewCount => row.dimension !== 'learned');
  });

  /**
   * Reads the labels with the most views over the finished days in each dimension, with their sums, and the totals by
   * day. Returns them in the cached form.
   */
  async function highestFinished(query: CountQuery): Promise<KeptLabel> {
    const { rows } = await sql<{ kept: KeptLabel }>`
      select ${asLists} as kept from (${finishedCounts(query)}) counted`.execute(database.em.getKysely());
    return KeptLabel.parse(rows[0]?.kept);
  }

  return {
    count: (siteId, days, only = {}) =>
      count(JSON.stringify([siteId, days, Object.entries(only).toSorted()]), { siteId, days, only }),
  };
}

/** Cached sums: a list per column, in PostgreSQL's array format, which it parses four times as fast as JSON. */
const KeptLabel = z.array(z.string());
type KeptLabel = z.infer<typeof KeptLabel>;

const columns = { dimension: 'text', day: 'date', label: 'text', views: 'integer', visitors: 'integer' };

/** SQL: converts all rows to the cached form, a list per column. */
const asLists = sql`array[${sql.join(
  keysOf(columns).map((name) => sql`coalesce(array_agg(${sql.ref(name)})::text, '{}')`),
)}]`;

/** SQL: converts the cached form to rows. */
const rowsOf = (kept: KeptLabel) =>
  sql`unnest(${sql.join(
    Object.values(columns).map((type, at) => sql`${kept[at]}::${sql.raw(type)}[]`),
  )}) as kept(${sql.join(keysOf(columns).map((name) => sql.ref(name)))})`;

const joinLists = (first: KeptLabel, second: KeptLabel): KeptLabel =>
  first.map((list, at) =>
    list === '{}' ? (second[at] ?? list) : `${list.slice(0, -1)},${second[at]?.slice(1)}`,
  );

const ofDays = ({ siteId, days }: Omit<CountQuery, 'only'>) =>
  sql`site_id = ${siteId} and day = any(${days}::date[])`;

/** SQL: finished days. Dimensions are separate, so that only the highest labels are sorted. */
const finishedCounts = (query: CountQuery) => sql`
  ${sql.join(
    keysOf(highest).map(
      (dimension) => sql`(
        select dimension, null::date as day, label, sum(views) as views, 0 as visitors from page_view_days
        where ${ofDays(query)} and dimension = ${sql.lit(dimension)} group by dimension, label
        order by sum(views) desc, label collate "C" limit ${sql.lit(highest[dimension])})`,
    ),
    sql` union all `,
  )}
  union all
  select dimension, day, label, views, visitors from page_view_days where ${ofDays(query)} and dimension = 'total'`;

/**
 * SQL: counts from the cached sums of finished days and the raw views of other days, and the sums to add to the cache.
 */
const countWith = (kept: KeptLabel, finished: CountQuery, others: CountQuery) => sql<Row>`
  with counted as materialized (
    select dimension, day, label, sum(views) as views, sum(visitors) as visitors, bool_or(is_kept) as is_kept from (
      select *, true as is_kept from ${rowsOf(kept)} union all select *, false from (${rawCounts(others)}) raw
    ) every_count group by dimension, day, label
  ),
  unknown as materialized (select * from counted where dimension <> 'total' and not is_kept),
  -- Reads nothing if all labels are cached, otherwise each row once.
  found as materialized (
    select dimension, label, sum(views) as views from page_view_days
    where (select count(*) from unknown) > 0 and ${ofDays(finished)} and dimension <> 'total'
      and coalesce((dimension, label) in (select dimension, label from unknown), false)
    group by dimension, label
  ),
  learned as materialized (
    select dimension, null::date as day, label, coalesce(found.views, 0) as views, 0 as visitors, unknown.views as raw
    from unknown left join found using (dimension, label)
  ),
  summed as not materialized (
    select dimension, day, label, views::integer, visitors::integer from counted
    where (dimension = 'total' or is_kept) and views > 0
    union all select dimension, day, label, (views + raw)::integer, visitors from learned
  )
  select * from (${highestSummed}) answer
  union all
  select 'learned', null, to_json(${asLists})::text, 0, 0 from learned having count(*) > 0`;

/**
 * SQL: counts of raw views. The inner condition repeats all days, so that PostgreSQL can exclude other partitions
 * before execution.
 */
const rawCounts = ({ siteId, days, only }: CountQuery) => sql`
  select counted.dimension, case when counted.dimension = 'total' then asked.day end as day, counted.label, counted.views, counted.visitors
  from unnest(${days}::date[]) as asked(day)
  cross join lateral (${countViews(sql`site_id = ${siteId} and day = asked.day and day = any(${days}::date[])${meets(only)}`)}) counted`;

/** SQL: conditions of a filter. */
const meets = (only: ViewFilter) =>
  sql.join(
    [sql``, ...Object.entries(only).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)],
    sql` and `,
  );

/** SQL: all totals of `summed`, and the labels with the most views of each dimension. Equal ones are sorted by name. */
const highestSummed = sql`
  select dimension, day::text, label, views, visitors from (
    select * from summed where dimension = 'total'
    ${sql.join(
      keysOf(highest).map(
        (dimension) => sql`
          union all (select * from summed where dimension = ${sql.lit(dimension)}
            order by views desc, label collate "C" limit ${sql.lit(highest[dimension])})`,
      ),
      sql``,
    )}
  ) chosen
  order by dimension, chosen.day, views desc, label collate "C"`;

const highestOf = (counts: RawBuilder<unknown>) => sql<ViewCount>`
  with summed as materialized (
    select dimension, day, label, sum(views)::integer as views, sum(visitors)::integer as visitors
    from (${counts}) counted group by dimension, day, label having sum(views) > 0
  )
  ${highestSummed}`;
