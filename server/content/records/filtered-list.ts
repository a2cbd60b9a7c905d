import { type SqlBool, sql } from 'kysely';
import { allOf } from '../../api/filter-sql.ts';
import { contentTables } from './collection.ts';
import { everything, isFound, type ListQuery, rowsByContent, rowsInOrder } from './list-query.ts';
import { atMost, inOrder, isBeyond, type Order, type PageRange, slice } from './order.ts';

/**
 * Finds the IDs on one page of a filtered list, and the total number of matching records. A page after the last one is
 * empty. It reads only the index that serves the filter, so that a filter that every record meets takes milliseconds, too.
 * Throws `DatabaseBusyError` if too many searches are waiting.
 */
export const findFiltered = (listQuery: ListQuery, part: PageRange) =>
  listQuery.collection.deps.database.quotas.searches(listQuery.collection.siteId, () =>
    findPage(listQuery, part),
  );

/**
 * Finds one page of IDs and the total number, without taking a slot of the quota of searches. Callers have taken one of
 * another quota.
 */
export const findPage = (listQuery: ListQuery, part: PageRange) =>
  partQuery(listQuery, part).executeTakeFirstOrThrow();

export function partQuery(listQuery: ListQuery, part: PageRange) {
  if (!isFound(listQuery)) return walkedInOrder(listQuery, part);
  if (mayBeNear(listQuery, part)) return nearOrSorted(listQuery, part);
  return isDeepPage(listQuery, part) ? deepPage(listQuery, part) : found(listQuery, part);
}

/** Number of matches above which sorting them takes longer than counting them. */
const manyMatches = 3_000;

/**
 * Number of records at the beginning of the unfiltered list that are examined first. If there are many matches, the
 * requested page is very likely among them.
 */
const nearOf = ({ limit, offset = 0 }: Pick<PageRange, 'limit' | 'offset'>) => 10 * (offset + limit);

/**
 * Maximum number of records that are examined first. It is lower for searched words, because search vectors are stored
 * outside of the records, and each is fetched separately.
 */
const maxNearby = { bySearch: 1_000, byLists: 20_000 };

function mayBeNear({ audience, collection, conditions }: ListQuery, part: PageRange) {
  const { public_count = Number.POSITIVE_INFINITY } = collection.collectionState ?? {};
  const max = maxNearby[conditions.search.length > 0 ? 'bySearch' : 'byLists'];
  return audience === 'readers' && public_count > manyMatches && nearOf(part) <= max;
}

/**
 * Finds the page and the total in one pass, by the index of words and lists. Neither texts nor search vectors are read.
 */
function found(listQuery: ListQuery, { order, ...range }: PageRange) {
  const matching = rowsByContent(listQuery).select(['id', order.value.as('sort_value')]);
  const db = contentTables(listQuery.collection);
  return db
    .with(
      (cte) => cte('found').materialized(),
      () => matching,
    )
    .selectNoFrom(({ selectFrom, fn }) => [
      idsOf(slice(db.selectFrom('found'), { order: bySortValue(order), ...range })).as('ids'),
      selectFrom('found').select(fn.countAll<number>().as('total')).$asScalar().as('total'),
    ]);
}

/**
 * Counts the matches first. If there are many, looks for the page among the first records of the unfiltered list. If
 * these do not fill the page, sorts all matches.
 */
function nearOrSorted(listQuery: ListQuery, part: PageRange) {
  const counted = rowsByContent(listQuery).select(({ fn }) => fn.countAll<number>().as('total'));
  const near = idsOf(amongNear(listQuery, part));
  const sorted = idsOf(slice(rowsByContent(listQuery), part));
  return contentTables(listQuery.collection)
    .with(
      (cte) => cte('counted').materialized(),
      () => counted,
    )
    .with(
      (cte) => cte('near').materialized(),
      (db) =>
        db
          .selectFrom('counted')
          .select([
            'total',
            sql<string[]>`case when total > ${sql.lit(manyMatches)} then ${near} end`.as('ids'),
          ]),
    )
    .selectFrom('near')
    .select([
      'total',
      sql<string[]>`case when cardinality(ids) = ${part.limit}::integer then ids else ${sorted} end`.as(
        'ids',
      ),
    ]);
}

/** Selects the matches among the first records of the unfiltered list, in the order of the list. */
function amongNear({ conditions, ...list }: ListQuery, { order, limit, offset = 0, after }: PageRange) {
  const records = rowsInOrder({ ...list, conditions: everything });
  const from = after ? records.where(isBeyond(order.value, order.direction, after)) : records;
  const near = inOrder(from.selectAll().select(order.value.as('sort_value')), order);
  const matching = contentTables(list.collection)
    .selectFrom(near.limit(atMost(nearOf({ limit, offset }))).as('near'))
    .where(allOf([...conditions.search, ...conditions.lists, ...conditions.plain]));
  return slice(matching, { order: bySortValue(order), limit, offset });
}

/**
 * Finds the page by reading an index in the order of the list until the page is full. Counts matches with another read,
 * unless the first read began with the first record and did not fill the page. Then it has read all matches.
 */
function walkedInOrder(listQuery: ListQuery, part: PageRange) {
  const { limit, offset, after } = part;
  const counted = rowsInOrder(listQuery).select(({ fn }) => fn.countAll<number>().as('total'));
  const walked = sql`cardinality(ids)`;
  const total =
    offset || after
      ? sql<number>`(${counted})`
      : sql<number>`case when ${walked} < ${limit}::integer then ${walked} else (${counted}) end`;
  return contentTables(listQuery.collection)
    .with(
      (cte) => cte('walked').materialized(),
      (db) => db.selectNoFrom(idsOf(slice(rowsInOrder(listQuery), part)).as('ids')),
    )
    .selectFrom('walked')
    .select(['ids', total.as('total')]);
}

/** Order of rows that have the sorted value in a column `sort_value`. */
const bySortValue = (order: Order): Order => ({ ...order, value: sql`sort_value` });

const idsOf = (ids: ReturnType<typeof slice>) => sql<string[]>`array(${ids})`;

/**
 * Limits from which matches are counted by time span instead of sorted: minimum offset, and minimum share of all
 * records, from 0 to 1. For smaller shares, the time spans of a page contain too many records.
 */
const deepPageFrom = { matches: 10_000, part: 0.1 };

/** Number of equal time spans into which a list is divided. */
const spans = 1_000;

/** Maximum number of records in the time spans of a page that are tested one by one. */
const maxInSpans = 1_000;

/**
 * True if a page is at such a distance from the beginning that matches are counted by time span. Only lists of readers have
 * an index by time.
 */
function isDeepPage({ audience, collection }: ListQuery, { order, offset = 0 }: PageRange) {
  const { public_count = Number.POSITIVE_INFINITY } = collection.collectionState ?? {};
  const { matches, part } = deepPageFrom;
  return audience === 'readers' && order.isByTime && offset >= Math.max(matches, part * public_count);
}

/**
 * Returns the query of a page far from the beginning, in an order by time.
 *
 * Matches are counted by time span. This gives the total, the spans that contain the page, and the number of matches
 * before them. The records in these spans are then tested in the order of the list. If there are very many, the page is
 * selected from the matches in these spans instead.
 *
 * Records with equal times are in one span, so the order is that of the whole list.
 */
export function deepPage(listQuery: ListQuery, { order, limit, offset = 0 }: PageRange) {
  const { value, direction } = order;
  const list = rowsInOrder({ ...listQuery, conditions: everything });
  const end = (of: Order['direction']) =>
    inOrder(list.select(value.as('moment')), { ...order, direction: of }).limit(1);
  const within = sql<SqlBool>`(${value} >= (select since from hit) and ${value} < (select until from hit))`;
  const near = inOrder(list.where(within).select('id'), order).limit(maxInSpans);
  const along = slice(rowsInOrder(listQuery).where(within), { order, limit });
  // This form of the condition prevents PostgreSQL from using another index.
  const among = slice(rowsByContent(listQuery).where(sql<SqlBool>`coalesce(${within}, false)`), {
    order,
    limit,
  });
  const rest = sql<number>`${offset}::bigint - (select before from hit)`;
  const query = sql`(
    with span as materialized (
      select oldest, make_interval(secs => greatest(extract(epoch from newest - oldest) / ${sql.lit(spans)}, 1)::float8) as width
      from (select (${end('asc')}) as oldest, (${end('desc')}) as newest) ends
    ), counted as materialized (
      select date_bin((select width from span), moment, (select oldest from span)) as since, count(*) as matches
      from (${rowsByContent(listQuery).select(value.as('moment'))}) matching group by 1
    ), hit as materialized (
      select min(since) as since, max(since) + (select width from span) as until, min(through - matches) as before
      from (select *, sum(matches) over (order by since ${sql.raw(direction)}) as through from counted) passed
      where through > ${offset}::bigint and through - matches < ${offset}::bigint + ${limit}::bigint
    )
    select case when (select count(*) from (${near}) near) < ${sql.lit(maxInSpans)}
        then array(${along.offset(rest)}) else array(${among.offset(rest)}) end as ids,
      (select coalesce(sum(matches), 0)::bigint from counted) as total)`;
  return contentTables(listQuery.collection)
    .selectFrom(query.as('far'))
    .selectAll()
    .$castTo<{ ids: string[]; total: number }>();
}
