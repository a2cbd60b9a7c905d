import { type Expression, type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { RecordOf } from '../../../shared/contract/resource.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { conditionsOf, type Filter, isFiltered } from '../../api/filter-sql.ts';
import { columnsFor } from '../../api/sparse-fields.ts';
import { type Collection, type ContentQuery, contentTables, readableNames, typedRows } from './collection.ts';
import { findFiltered } from './filtered-list.ts';
import { includedColumns, including } from './include-covers.ts';
import { everything, type ListQuery, publicRows, rowsOfList } from './list-query.ts';
import { listRows } from './list-rows.ts';
import {
  atMost,
  inOrder,
  isBeyond,
  newestFirst,
  type Order,
  orderOf,
  type PageRange,
  type Position,
} from './order.ts';

/** Columns to read of each record; without `columns`, all that readers may see. */
interface PageQuery {
  columns?: readonly string[] | undefined;
  include?: Include | undefined;
}

/**
 * Lists the next public records after a position, at most `limit`, and the total number. Throws `LargeAnswerError` if
 * they are too large to load together. Functions of this file return only public records.
 */
export async function listAfter<F extends Fields>(
  collection: Collection<F>,
  {
    sort,
    limit,
    after,
    filter,
    ...query
  }: PageQuery & { sort: Sort; limit: number; after: Position | null; filter: Filter },
) {
  const order = orderOf(sort);
  if (isFiltered(filter)) {
    const { ids, total } = await findFiltered(toReaders(collection, filter), { order, limit, after });
    return { rows: ids.length > 0 ? await listByIds(collection, ids, order, query) : [], total };
  }
  const listed = publicRows(collection);
  const part = after ? listed.where(isBeyond(order.value, order.direction, after)) : listed;
  const select = selectRows(collection, part.limit(atMost(limit)), order);
  const fetch = listRows(collection, columnsWith(collection, query), select);
  const [rows, total] = await Promise.all([rowsOf<F>(collection, fetch, query.include), count(collection)]);
  return { rows, total };
}

interface Narrowing {
  filter?: Filter;
  /** Fields to fetch; without them, all that readers may see. */
  fields?: readonly string[] | undefined;
  include?: Include | undefined;
}

/** Lists all public records, newest first. Throws `LargeAnswerError` if they are too large to load together. */
export function listAll<F extends Fields>(
  collection: Collection<F>,
  { filter = {}, fields, include }: Narrowing,
): Promise<RecordOf<F>[]> {
  const { database } = collection.deps;
  const columns = columnsWith(collection, { columns: columnsFor(fields, []), include });
  const select = selectRows(collection, rowsOfList(toReaders(collection, filter)), newestFirst);
  const fetch = () => listRows(collection, columns, select, true);
  const rows = () => rowsOf<F>(collection, fetch(), include);
  return isFiltered(filter) ? database.quotas.searches(collection.siteId, rows) : rows();
}

/**
 * Lists one page by its number, newest first by default, and the total number. A page after the last one is empty.
 * Columns in `always` are always fetched. Throws `LargeAnswerError` if the records are too large to load together.
 */
export async function listPage<F extends Fields>(
  collection: Collection<F>,
  {
    page,
    per_page,
    sort = '-created',
    filter = {},
    fields,
    include,
  }: Narrowing & { page: number; per_page: number; sort?: Sort },
  always: readonly string[] = [],
) {
  const part = { order: orderOf(sort), offset: (page - 1) * per_page, limit: per_page };
  const query = { columns: columnsFor(fields, always), include };
  const fetch = (ids: string[] | ReturnType<typeof pageIds>) => listByIds(collection, ids, part.order, query);
  if (isFiltered(filter)) {
    const { ids, total } = await findFiltered(toReaders(collection, filter), part);
    return { items: ids.length > 0 ? await fetch(ids) : [], page, per_page, total };
  }
  const [items, total] = await Promise.all([fetch(pageIds(collection, part)), count(collection)]);
  return { items, page, per_page, total };
}

/**
 * Selects the IDs of a page from the index alone. A page in the second half of a list is read from the end, so that the
 * last page is as fast as the first.
 */
function pageIds(
  collection: Collection<Fields>,
  { order, offset, limit }: Required<Omit<PageRange, 'after'>>,
) {
  const length = collection.collectionState?.public_count ?? 0;
  const ids = publicRows(collection).select('id');
  const fromEnd = length - offset - limit;
  if (fromEnd >= offset || offset >= length) return inOrder(ids, order).limit(limit).offset(offset);
  return inOrder(ids, { ...order, direction: order.direction === 'asc' ? 'desc' : 'asc' })
    .limit(Math.min(limit, length - offset))
    .offset(Math.max(fromEnd, 0));
}

/** Returns the number of public records: the one that was read with the API key, or else a new count. */
export async function count(collection: Collection<Fields>): Promise<number> {
  const counted = collection.collectionState?.public_count;
  if (counted !== undefined) return counted;
  const { total } = await publicRows(collection)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/**
 * Selects columns of a list. Records of one part of a large list are fetched by the IDs that the list's index returned.
 */
const selectRows =
  (collection: Collection<Fields>, listed: ContentQuery, order: Order) => (names: readonly string[]) =>
    collection.listPart && 'ids' in collection.listPart
      ? inOrder(selectPublic(collection, names), order)
      : inOrder(listed, order).select(names);

/** Fetches records by ID, without those that are no longer public. */
async function listByIds<F extends Fields>(
  collection: Collection<F>,
  ids: string[] | ReturnType<typeof pageIds>,
  order: Order,
  query: PageQuery,
) {
  const rows = listRows(collection, columnsWith(collection, query), (names) =>
    inOrder(selectPublic(collection, names).where('id', 'in', ids), order),
  );
  return rowsOf<F>(collection, rows, query.include);
}

const toReaders = (collection: Collection<Fields>, filter?: Filter): ListQuery => ({
  collection,
  audience: 'readers',
  conditions: filter ? conditionsOf(collection.resource.fields, filter) : everything,
});

const columnsWith = ({ resource }: Pick<Collection, 'resource'>, { columns, include }: PageQuery) => [
  ...new Set([...(columns ?? readableNames(resource.fields)), ...includedColumns(include)]),
];

/**
 * Returns a query of a site's public records, by default with all columns that readers see. Callers add a condition on IDs
 * or slugs. This function and `rowsOfList` filter what readers may see; `readableWhen` of the entities defines it.
 */
export const selectPublic = (
  { deps, siteId, resource }: Omit<Collection, 'siteId'> & { siteId: string | Expression<string> },
  columns: readonly string[] = readableNames(resource.fields),
) =>
  contentTables({ deps })
    .selectFrom(resource.collection)
    .where('site_id', '=', siteId)
    .where(sql<SqlBool>`is_public`)
    .select(columns);

const rowsOf = async <F>(collection: Collection, rows: Promise<object[]>, include: Include | undefined) =>
  typedRows<RecordOf<F>>(include ? await including(collection, await rows, include) : await rows);
