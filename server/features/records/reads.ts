import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import { found } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { type Collection, type ContentTables, contentTables, typedRows } from './collection.ts';
import type { Position } from './cursor.ts';
import { type Filter, findNarrowed, isBeyond, isNarrowed, type Order } from './narrowed.ts';

interface Slice {
  sort: Sort;
  limit: number;
  after: Position | null;
  filter: Filter;
  /** Columns to fetch; all that readers may see when left out. */
  columns?: readonly string[] | undefined;
}

/**
 * Public, non-draft records: all that these functions ever return. The next ones after a position, at most `limit`, and
 * how many the whole list has.
 */
export async function listAfter<F extends Fields>(
  collection: Collection<F>,
  { sort, limit, after, filter, columns }: Slice,
) {
  const order = orderOf(sort);
  if (isNarrowed(filter)) {
    const { ids, total } = await findNarrowed(collection, filter, { order, limit, after });
    return { rows: await listByIds(collection, ids, { order, columns }), total };
  }
  let query = inOrder(selectPublic(collection, columns), order).limit(limit);
  if (after) query = query.where(isBeyond(order.value, order.direction, after));
  const [rows, total] = await Promise.all([rowsOf<F>(query.execute()), count(collection)]);
  return { rows, total };
}

/** Every public record, newest first. */
export const listAll = <F extends Fields>(collection: Collection<F>) =>
  rowsOf<F>(inOrder(selectPublic(collection), newestFirst).execute());

interface PageSlice {
  page: number;
  per_page: number;
  filter?: Filter;
  columns?: readonly string[] | undefined;
}

/** One page by its number, newest first. */
export async function listPage<F extends Fields>(
  collection: Collection<F>,
  { page, per_page, filter = {}, columns }: PageSlice,
) {
  const slice = { offset: (page - 1) * per_page, limit: per_page };
  if (isNarrowed(filter)) {
    const { ids, total } = await findNarrowed(collection, filter, { order: newestFirst, ...slice });
    return {
      items: await listByIds(collection, ids, { order: newestFirst, columns }),
      page,
      per_page,
      total,
    };
  }
  const picked = pageIds(collection, slice);
  const query = inOrder(selectPublic(collection, columns).where('id', 'in', picked), newestFirst);
  const [items, total] = await Promise.all([rowsOf<F>(query.execute()), count(collection)]);
  return { items, page, per_page, total };
}

/**
 * The ids of a page come from the index alone, and a page in the second half of a list whose length is known is reached
 * from its end, so that the last page is as fast as the first.
 */
function pageIds(collection: Collection<Fields>, { offset, limit }: { offset: number; limit: number }) {
  const known = collection.publicCount ?? 0;
  const ids = publicRows(collection).select('id');
  const fromEnd = known - offset - limit;
  if (fromEnd >= offset || offset >= known) return inOrder(ids, newestFirst).limit(limit).offset(offset);
  return inOrder(ids, { ...newestFirst, direction: 'asc' })
    .limit(Math.min(limit, known - offset))
    .offset(Math.max(fromEnd, 0));
}

/** How many records a whole list has: kept with its version, and counted only when the caller's key lookup has not told. */
async function count(collection: Collection<Fields>): Promise<number> {
  if (collection.publicCount !== undefined) return collection.publicCount;
  const { total } = await publicRows(collection)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The record with this id or slug. Throws `not_found` when there is none, or none that is public. */
export async function getOne<F extends Fields>(
  { deps, siteId }: { deps: Pick<Deps, 'findRecord'>; siteId: string },
  resource: Resource<F>,
  by: { id: string } | { slug: string },
) {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['slug', by.slug] as const);
  const row = await deps.findRecord({ siteId, resource, column, value });
  const [record] = typedRows<RecordOf<F>>(row ? [row] : []);
  return found(record ?? null);
}

/** Those of the records that are still public. */
async function listByIds<F extends Fields>(
  collection: Collection<F>,
  ids: string[],
  { order, columns }: { order: Order; columns?: readonly string[] | undefined },
) {
  if (ids.length === 0) return [];
  return rowsOf<F>(inOrder(selectPublic(collection, columns).where('id', 'in', ids), order).execute());
}

/** What readers may see of a collection: the filter is here, which records it lets through in `readableWhen` of the entities. */
export const selectPublic = <F extends Fields>(collection: Collection<F>, columns?: readonly string[]) =>
  publicRows(collection).select(columns ?? readableColumns(collection.resource.fields));

const publicRows = (collection: Collection<Fields>) =>
  contentTables(collection)
    .selectFrom(collection.resource.collection)
    .where('site_id', '=', collection.siteId)
    .where(sql<SqlBool>`is_public`);

const readableColumns = (fields: Fields) =>
  ['id', ...Object.keys(fields), 'created', 'updated'].filter((column) => column !== 'is_draft');

/** Titles are ordered without regard to case. */
function orderOf(sort: Sort): Order {
  const column = sort.replace('-', '');
  const value = column === 'title' ? sql`title collate "und-x-icu"` : sql.ref(column);
  return { value, direction: sort.startsWith('-') ? 'desc' : 'asc' };
}

export const newestFirst = orderOf('-created');

const inOrder = <Row>(query: SelectQueryBuilder<ContentTables, string, Row>, { value, direction }: Order) =>
  query.orderBy(value, direction).orderBy('id', direction);

const rowsOf = async <F>(rows: Promise<unknown[]>) => typedRows<RecordOf<F>>(await rows);
