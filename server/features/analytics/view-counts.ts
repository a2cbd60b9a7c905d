import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { countViews, type ViewCount } from '../../../shared/db/page-view-counts.ts';
import { singleFlightByKey } from '../../../shared/single-flight.ts';
import type { StoreDeps, ViewCounts } from '../../kernel/deps.ts';

/** Most bytes that the sums kept by one process take, roughly. */
const mostBytes = 16 * 1024 * 1024;

/** Most sums of one site and window that are kept; of what has more they are added up by the database each time. */
const mostKept = 2_000;

/** How many labels an answer has. */
const highest = { path: 10, referrer: 10, utm: 20 } as const;

interface Question {
  siteId: string;
  days: readonly string[];
}

/**
 * Counts views in the database, so that however many labels there are, a process gets the highest alone. The sums of
 * finished days, which never change, are kept where they are few. Who asks the same at the same time shares the count.
 */
export function createViewCounts({ database }: Pick<StoreDeps, 'database'>): ViewCounts {
  const sums = new LRUCache<string, { json: string | null }>({
    maxSize: mostBytes,
    sizeCalculation: ({ json }, key) => 2 * (key.length + (json?.length ?? 0)) + 1,
  });

  const count = singleFlightByKey(async ({ siteId, days }: Question) => {
    const db = database.em.getKysely();
    // Asked first, so that only the partitions of the others are looked at; one that is rolled up in between still has its raw rows.
    const rolledUp = await sql<{ day: string }>`
      select day::text from page_view_rollups where day = any(${days}::date[]) order by day`.execute(db);
    const finished = rolledUp.rows.map(({ day }) => day);
    const others = days.filter((day) => !finished.includes(day));
    const kept = await sumsOf({ siteId, days: finished });
    const counts = kept === null ? finishedCounts({ siteId, days: finished }) : keptCounts(kept);
    const { rows } = await highestOf(sql`${counts} union all ${rawCounts({ siteId, days: others })}`).execute(
      db,
    );
    return rows;
  });

  /** The sums of finished days as JSON; null where they are too many. */
  async function sumsOf({ siteId, days }: Question): Promise<string | null> {
    const key = [siteId, ...days].join(' ');
    const kept = sums.get(key);
    if (kept) return kept.json;
    const { rows } = await sql<{ json: string | null }>`
      select case when count(*) <= ${mostKept}::integer then coalesce(json_agg(counted), '[]')::text end as json
      from (${finishedCounts({ siteId, days })} limit ${mostKept + 1}) counted`.execute(
      database.em.getKysely(),
    );
    const json = rows[0]?.json ?? null;
    sums.set(key, { json });
    return json;
  }

  return { count: (siteId, days) => count([siteId, ...days].join(' '), { siteId, days }) };
}

const finishedCounts = ({ siteId, days }: Question) => sql`
  (select dimension, null::date as day, label, sum(views) as views, 0 as visitors from page_view_days
  where site_id = ${siteId} and day = any(${days}::date[]) and dimension <> 'total' group by dimension, label
  union all
  select dimension, day, label, views, visitors from page_view_days
  where site_id = ${siteId} and day = any(${days}::date[]) and dimension = 'total')`;

const keptCounts = (json: string) => sql`
  select * from json_to_recordset(${json}::json) as kept(dimension text, day date, label text, views bigint, visitors integer)`;

/** All days are named once more inside, for PostgreSQL to see before it starts which partitions it can leave out. */
const rawCounts = ({ siteId, days }: Question) => sql`
  select counted.dimension, case when counted.dimension = 'total' then asked.day end, counted.label, counted.views, counted.visitors
  from unnest(${days}::date[]) as asked(day)
  cross join lateral (${countViews(sql`site_id = ${siteId} and day = asked.day and day = any(${days}::date[])`)}) counted`;

/** Of `counts` all totals, and of each other dimension the labels with the most views, by name where these are equal. */
const highestOf = (counts: RawBuilder<unknown>) => sql<ViewCount>`
  select dimension, day::text, label, views, visitors from (
    select *, row_number() over (partition by dimension order by views desc, label collate "C") as place from (
      select dimension, day, label, sum(views)::integer as views, sum(visitors)::integer as visitors
      from (${counts}) counted group by dimension, day, label
    ) summed
  ) placed
  where dimension = 'total' or place <= case dimension
    when 'path' then ${highest.path}::integer when 'referrer' then ${highest.referrer}::integer else ${highest.utm}::integer end
  order by dimension, day, place`;
