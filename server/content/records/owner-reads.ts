import { type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import { ownFilterable } from '../../../shared/contract/filters.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import { hasDrafts, type OwnRecordOf } from '../../../shared/contract/resource.ts';
import { maxScannedRows } from '../../../shared/db/newest-page.ts';
import { found } from '../../api/api-error.ts';
import { conditionsOf, type Filter, isFiltered, prefixQuery } from '../../api/filter-sql.ts';
import { columnsFor } from '../../api/sparse-fields.ts';
import { type Collection, contentTables, ownNames, typedRow, typedRows } from './collection.ts';
import { findPage } from './filtered-list.ts';
import { listRows } from './list-rows.ts';
import { inOrder, orderOf } from './order.ts';

/**
 * Lists one page of a collection for its owner, drafts included, and the total number of matching records. Without
 * `fields`, records have all fields; without `state`, drafts and published ones are listed. Throws `LargeAnswerError` if
 * they are too large to load together, and `DatabaseBusyError` if too many lists are waiting.
 */
export async function listOwn<F extends Fields>(
  collection: Collection<F>,
  {
    page,
    per_page,
    sort,
    fields,
  }: { page: number; per_page: number; sort: Sort; fields?: readonly string[] | undefined },
  filter: Filter,
  state?: 'draft' | 'published',
) {
  const order = orderOf(sort);
  const narrowing = conditionsOf(ownFilterable(collection.resource.fields), filter, prefixQuery);
  const inState = state ? [isIn(state, collection.resource.fields)] : [];
  const conditions = { ...narrowing, plain: [...narrowing.plain, ...inState] };
  const listed = { collection, audience: 'owner' as const, conditions };
  const offset = (page - 1) * per_page;
  const isSearch = isFiltered({ ...filter, state }) || offset + per_page > maxScannedRows;
  const { searches, ownLists } = collection.deps.database.quotas;
  const share = isSearch ? searches : ownLists;
  const part = { order, limit: per_page, offset };
  const { ids, total } = await share(collection.siteId, () => findPage(listed, part));
  const columns = columnsFor(fields, []) ?? ownNames(collection.resource.fields);
  const rows = inOrder(ownRows(collection).where('id', 'in', ids), order);
  const items = ids.length > 0 ? await listRows(collection, columns, (names) => rows.select(names)) : [];
  return { items: typedRows<OwnRecordOf<F>>(items), page, per_page, total };
}

/** SQL condition: records of a state. Records of a resource without drafts are published. */
const isIn = (state: 'draft' | 'published', fields: Fields) =>
  hasDrafts(fields)
    ? sql<SqlBool>`is_draft = (select ${state === 'draft'}::boolean)`
    : sql<SqlBool>`${state === 'published'}::boolean`;

/** Gets a record for its owner. Throws `not_found`. */
export async function getOwn<F extends Fields>(collection: Collection<F>, id: string) {
  const columns = ownNames(collection.resource.fields);
  const row = await ownRows(collection).select(columns).where('id', '=', id).executeTakeFirst();
  return typedRow<OwnRecordOf<F>>(found(row));
}

/** Gets a record's author, and its draft state and schedule if its resource has drafts. Throws `not_found`. */
export async function requireOwn(collection: Collection, id: string): Promise<object> {
  const drafts = hasDrafts(collection.resource.fields) ? ['is_draft', 'publish_at'] : [];
  const rows = ownRows(collection).select([...drafts, 'created_by']);
  return found(await rows.where('id', '=', id).executeTakeFirst());
}

const ownRows = (collection: Collection<Fields>) =>
  contentTables(collection)
    .selectFrom(collection.resource.collection)
    .where('site_id', '=', collection.siteId);
