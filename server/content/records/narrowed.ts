import { type SqlBool, sql } from 'kysely';
import { allOf } from '../../api/filter-sql.ts';
import { contentTables } from './collection.ts';
import { everything, isFound, type Listed, rowsByContent, rowsInOrder } from './listed-rows.ts';
import { atMost, inOrder, isBeyond, type Order, type PageRange, slice } from './order.ts';

/**
 * The ids of one part of a filtered list, and how many records the whole list has. It reads no more than the index that
 * the list goes by needs; so what every record has takes milliseconds, too.
 */
export const findNarrowed = (listed: Listed, part: PageRange) =>
  listed.collection.deps.database.shares.searches(listed.collection.siteId, () => findPart(listed, part));

/** The same outside of the share of searches, for who takes another. */
export const findPart = (listed: Listed, part: PageRange) =>
  partQuery(listed, part).executeTakeFirstOrThrow();

export function partQuery(listed: Listed, part: PageRange) {
  if (!isFound(listed)) return walkedInOrder(listed, part);
  if (mayBeNear(listed, part)) return nearOrSorted(listed, part);
  return isFar(listed, part) ? farPart(listed, part) : found(listed, part);
}

/** With more matches than this, putting them in order takes longer than counting them. */
const manyMatches = 3_000;

/** Records from the place where a part begins, which most likely have it where there are many matches. */
const nearOf = ({ limit, offset = 0 }: Pick<PageRange, 'limit' | 'offset'>) => 10 * (offset + limit);

/** Most that are looked at for it: vectors of words are no part of the records, and each is fetched by itself. */
const mostNear = { byWords: 1_000, byLists: 20_000 };

function mayBeNear({ audience, collection, conditions }: Listed, part: PageRange) {
  const { public_count = Number.POSITIVE_INFINITY } = collection.collectionState ?? {};
  const most = mostNear[conditions.words.length > 0 ? 'byWords' : 'byLists'];
  return audience === 'readers' && public_count > manyMatches && nearOf(part) <= most;
}

/** Part and total from one pass over what the index of words and lists found, which reads neither bodies nor vectors. */
function found(listed: Listed, { order, ...range }: PageRange) {
  const matching = rowsByContent(listed).select(['id', order.value.as('place')]);
  const db = contentTables(listed.collection);
  return db
    .with(
      (cte) => cte('found').materialized(),
      () => matching,
    )
    .selectNoFrom(({ selectFrom, fn }) => [
      idsOf(slice(db.selectFrom('found'), { order: byPlace(order), ...range })).as('ids'),
      selectFrom('found').select(fn.countAll<number>().as('total')).$asScalar().as('total'),
    ]);
}

/**
 * The total first. Where it is high, the part is looked for among the records near it; what is not found whole there, as where
 * few of these match, comes from all matches, put in order.
 */
function nearOrSorted(listed: Listed, part: PageRange) {
  const counted = rowsByContent(listed).select(({ fn }) => fn.countAll<number>().as('total'));
  const near = idsOf(amongNear(listed, part));
  const sorted = idsOf(slice(rowsByContent(listed), part));
  return contentTables(listed.collection)
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

/** Matches in the order of the list, as far as the records near the part have them. */
function amongNear({ conditions, ...list }: Listed, { order, limit, offset = 0, after }: PageRange) {
  const records = rowsInOrder({ ...list, conditions: everything });
  const from = after ? records.where(isBeyond(order.value, order.direction, after)) : records;
  const near = inOrder(from.selectAll().select(order.value.as('place')), order);
  const matching = contentTables(list.collection)
    .selectFrom(near.limit(atMost(nearOf({ limit, offset }))).as('near'))
    .where(allOf([...conditions.words, ...conditions.lists, ...conditions.plain]));
  return slice(matching, { order: byPlace(order), limit, offset });
}

/**
 * The part by a walk over an index in the list's order, which ends when the part is full; the total by another. A walk
 * from the first record on that did not fill the part has counted them all.
 */
function walkedInOrder(listed: Listed, part: PageRange) {
  const { limit, offset, after } = part;
  const counted = rowsInOrder(listed).select(({ fn }) => fn.countAll<number>().as('total'));
  const walked = sql`cardinality(ids)`;
  const total =
    offset || after
      ? sql<number>`(${counted})`
      : sql<number>`case when ${walked} < ${limit}::integer then ${walked} else (${counted}) end`;
  return contentTables(listed.collection)
    .with(
      (cte) => cte('walked').materialized(),
      (db) => db.selectNoFrom(idsOf(slice(rowsInOrder(listed), part)).as('ids')),
    )
    .selectFrom('walked')
    .select(['ids', total.as('total')]);
}

/** An order of rows that have its value in a column of their own. */
const byPlace = (order: Order): Order => ({ ...order, value: sql`place` });

const idsOf = (ids: ReturnType<typeof slice>) => sql<string[]>`array(${ids})`;

/**
 * With fewer matches before a part, putting them in order costs too little to be spared; and where they may be less than a tenth
 * of the records, those near the part are too many.
 */
const farFrom = { matches: 10_000, part: 0.1 };

/** So many equal spans has the time from the first record of a list to the last. */
const spans = 1_000;

/** Records of the spans that have the part, up to which each is asked whether it matches. */
const mostInSpans = 1_000;

/** Of what readers see, an index has the records of any span of time. */
function isFar({ audience, collection }: Listed, { order, offset = 0 }: PageRange) {
  const { public_count = Number.POSITIVE_INFINITY } = collection.collectionState ?? {};
  const { matches, part } = farFrom;
  return audience === 'readers' && order.isOfMoments && offset >= Math.max(matches, part * public_count);
}

/**
 * A part far from the first match, in an order of moments. Matches counted by spans of time give the total, and tell which
 * spans have the part, and how many matches come before those. What is in them is found along the list, or among the matches
 * where very many records are in them. What has one moment is in one span, so the order stays what it is in the whole.
 */
export function farPart(listed: Listed, { order, limit, offset = 0 }: PageRange) {
  const { value, direction } = order;
  const list = rowsInOrder({ ...listed, conditions: everything });
  const end = (of: Order['direction']) =>
    inOrder(list.select(value.as('moment')), { ...order, direction: of }).limit(1);
  const within = sql<SqlBool>`(${value} >= (select since from hit) and ${value} < (select until from hit))`;
  const near = inOrder(list.where(within).select('id'), order).limit(mostInSpans);
  const along = slice(rowsInOrder(listed).where(within), { order, limit });
  // In a form that no index answers.
  const among = slice(rowsByContent(listed).where(sql<SqlBool>`coalesce(${within}, false)`), {
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
      from (${rowsByContent(listed).select(value.as('moment'))}) matching group by 1
    ), hit as materialized (
      select min(since) as since, max(since) + (select width from span) as until, min(through - matches) as before
      from (select *, sum(matches) over (order by since ${sql.raw(direction)}) as through from counted) passed
      where through > ${offset}::bigint and through - matches < ${offset}::bigint + ${limit}::bigint
    )
    select case when (select count(*) from (${near}) near) < ${sql.lit(mostInSpans)}
        then array(${along.offset(rest)}) else array(${among.offset(rest)}) end as ids,
      (select coalesce(sum(matches), 0)::bigint from counted) as total)`;
  return contentTables(listed.collection)
    .selectFrom(query.as('far'))
    .selectAll()
    .$castTo<{ ids: string[]; total: number }>();
}
