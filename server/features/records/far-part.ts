import { type SqlBool, sql } from 'kysely';
import { contentTables } from './collection.ts';
import { everything, type Listed, rowsByContent, rowsInOrder } from './listed-rows.ts';
import { inOrder, type Order, type PageRange, slice } from './order.ts';

/**
 * With fewer matches before a part, putting them in order costs too little to be spared; and where they may be less than a tenth
 * of the records, those near the part are too many.
 */
const farFrom = { matches: 10_000, part: 0.1 };

/** So many equal spans has the time from the first record of a list to the last. */
const spans = 1_000;

/** Records of the spans that have the part, up to which each is asked whether it matches. */
const mostNear = 1_000;

/** Of what readers see, an index has the records of any span of time. */
export function isFar({ audience, collection }: Listed, { order, offset = 0 }: PageRange) {
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
  const near = inOrder(list.where(within).select('id'), order).limit(mostNear);
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
    select case when (select count(*) from (${near}) near) < ${sql.lit(mostNear)}
        then array(${along.offset(rest)}) else array(${among.offset(rest)}) end as ids,
      (select coalesce(sum(matches), 0)::bigint from counted) as total)`;
  return contentTables(listed.collection)
    .selectFrom(query.as('far'))
    .selectAll()
    .$castTo<{ ids: string[]; total: number }>();
}
