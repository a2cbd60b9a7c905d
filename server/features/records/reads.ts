import { type Expression, type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { conditionsOf, type Filter, isFiltered } from '../../kernel/conditions.ts';
import type { Deps } from '../../kernel/deps.ts';
import { columnsFor } from '../../kernel/sparse.ts';
import { type Collection, contentTables, typedRow, typedRows } from './collection.ts';
import type { Position } from './cursor.ts';
import { includedColumns, including } from './included.ts';
import { listRows } from './list-rows.ts';
import { everything, type Listed, listedRows } from './listed-rows.ts';
import { findNarrowed, type Part } from './narrowed.ts';
import { inOrder, isBeyond, newestFirst, type Order, orderOf } from './order.ts';
import { readableNames } from './readable-names.ts';

interface Slice {
  sort: Sort;
  limit: number;
  after: Position | null;
  filter: Filter;
  /** Columns to fetch; all that readers may see when left out. */
  columns?: readonly string[] | undefined;
  include?: Include | undefined;
}

/**
 * Public, non-draft records: all that these functions ever return. The next ones after a position, at most `limit`, and
 * how many the whole list has.
 */
export async function listAfter<F extends Fields>(
  collection: Collection<F>,
  { sort, limit, after, filter, columns, include }: Slice,
) {
  const order = orderOf(sort);
  if (isFiltered(filter)) {
    const { ids, total } = await findNarrowed(toReaders(collection, filter), { order, limit, after });
    const rows = ids.length > 0 ? await listByIds(collection, ids, { order, columns, include }) : [];
    return { rows, total };
  }
  const listed = listedRows(toReaders(collection));
  const part = inOrder(after ? listed.where(isBeyond(order.value, order.direction, after)) : listed, order);
  const fetched = { columns: columnsWith(collection, { columns, include }) };
  const fetch = listRows(collection, fetched, (names) => part.limit(limit).select(names));
  const [rows, total] = await Promise.all([rowsOf<F>(collection, fetch, include), count(collection)]);
  return { rows, total };
}

interface Narrowing {
  filter?: Filter;
  /** Fields to fetch; all that readers may see when left out. */
  fields?: readonly string[] | undefined;
  include?: Include | undefined;
}

/** Every public record, newest first. */
export function listAll<F extends Fields>(
  collection: Collection<F>,
  { filter = {}, fields, include }: Narrowing,
): Promise<RecordOf<F>[]> {
  const { database } = collection.deps;
  const columns = columnsWith(collection, { columns: columnsFor(fields, []), include });
  const listed = inOrder(listedRows(toReaders(collection, filter)), newestFirst);
  const fetch = () => listRows(collection, { columns, isUnbounded: true }, (names) => listed.select(names));
  const rows = () => rowsOf<F>(collection, fetch(), include);
  return isFiltered(filter) ? database.shares.searches(collection.siteId, rows) : rows();
}

interface PageSlice extends Narrowing {
  page: number;
  per_page: number;
  /** Newest first when left out. */
  sort?: Sort;
  /** Columns to fetch whatever `fields` names. */
  always?: readonly string[];
}

/** One page by its number. */
export async function listPage<F extends Fields>(
  collection: Collection<F>,
  { page, per_page, sort = '-created', filter = {}, fields, include, always = [] }: PageSlice,
) {
  const part = { order: orderOf(sort), offset: (page - 1) * per_page, limit: per_page };
  const columns = columnsFor(fields, always);
  if (isFiltered(filter)) {
    const { ids, total } = await findNarrowed(toReaders(collection, filter), part);
    const asked = { order: part.order, columns, include };
    const items = ids.length > 0 ? await listByIds(collection, ids, asked) : [];
    return { items, page, per_page, total };
  }
  const picked = pageIds(collection, part);
  const [items, total] = await Promise.all([
    listByIds(collection, picked, { order: part.order, columns, include }),
    count(collection),
  ]);
  return { items, page, per_page, total };
}

type NumberedPart = Required<Pick<Part, 'order' | 'offset' | 'limit'>>;

/**
 * The ids of a page come from the index alone, and a page in the second half of a list whose length is known is reached
 * from its end, so that the last page is as fast as the first.
 */
function pageIds(collection: Collection<Fields>, { order, offset, limit }: NumberedPart) {
  const known = collection.publicCount ?? 0;
  const ids = listedRows(toReaders(collection)).select('id');
  const fromEnd = known - offset - limit;
  if (fromEnd >= offset || offset >= known) return inOrder(ids, order).limit(limit).offset(offset);
  return inOrder(ids, { ...order, direction: order.direction === 'asc' ? 'desc' : 'asc' })
    .limit(Math.min(limit, known - offset))
    .offset(Math.max(fromEnd, 0));
}

/** How many records a whole list has: kept with its version, and counted only when the caller's key lookup has not told. */
async function count(collection: Collection<Fields>): Promise<number> {
  if (collection.publicCount !== undefined) return collection.publicCount;
  const { total } = await listedRows(toReaders(collection))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The record with this id or slug, with its revision and all that can be included; null when there is none, or none that is public. */
export async function findOne<F extends Fields>(
  { deps, siteId }: { deps: Pick<Deps, 'findRecord'>; siteId: string },
  resource: Resource<F>,
  by: { id: string } | { slug: string },
) {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['slug', by.slug] as const);
  const found = await deps.findRecord({ siteId, resource, column, value });
  return found && { revision: found.revision, record: typedRow<RecordOf<F>>(found.record) };
}

/** Those of the records that are still public. */
async function listByIds<F extends Fields>(
  collection: Collection<F>,
  ids: string[] | ReturnType<typeof pageIds>,
  { order, ...asked }: { order: Order } & Asked,
) {
  const fetched = { columns: columnsWith(collection, asked) };
  const rows = listRows(collection, fetched, (names) =>
    inOrder(selectPublic(collection, names).where('id', 'in', ids), order),
  );
  return rowsOf<F>(collection, rows, asked.include);
}

const toReaders = (collection: Collection<Fields>, filter?: Filter): Listed => ({
  collection,
  audience: 'readers',
  conditions: filter ? conditionsOf(collection.resource.fields, filter) : everything,
});

/** What is read of each record: all that readers may see when `columns` is left out. */
interface Asked {
  columns?: readonly string[] | undefined;
  include?: Include | undefined;
}

const columnsWith = ({ resource }: Pick<Collection, 'resource'>, { columns, include }: Asked) => [
  ...new Set([...(columns ?? readableNames(resource.fields)), ...includedColumns(include)]),
];

/**
 * Single records, by their id or slug. What readers may see of a collection: the filter is here and in `listedRows`, which
 * records it lets through in `readableWhen` of the entities.
 */
export const selectPublic = (
  { deps, siteId, resource }: Selected,
  columns: readonly string[] = readableNames(resource.fields),
) =>
  contentTables({ deps })
    .selectFrom(resource.collection)
    .where('site_id', '=', siteId)
    .where(sql<SqlBool>`is_public`)
    .select(columns);

type Selected = Omit<Collection, 'siteId'> & { siteId: string | Expression<string> };

const rowsOf = async <F>(collection: Collection, rows: Promise<object[]>, include: Include | undefined) =>
  typedRows<RecordOf<F>>(include ? await including(collection, await rows, include) : await rows);
