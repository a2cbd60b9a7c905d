import { type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import { ownFilterable } from '../../../shared/contract/filters.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import { hasDrafts, type OwnRecordOf, titleFieldOf } from '../../../shared/contract/resource.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { conditionsOf, type Filter, isFiltered, wordsBegun } from '../../kernel/conditions.ts';
import { newestPage } from '../../kernel/newest-page.ts';
import { columnsFor } from '../../kernel/sparse.ts';
import { type Collection, contentTables, typedRows } from './collection.ts';
import { listRows } from './list-rows.ts';
import { findNarrowed, findPart } from './narrowed.ts';
import { inOrder, orderOf } from './order.ts';
import { ownNames } from './readable-names.ts';

interface OwnPage {
  page: number;
  per_page: number;
  sort: Sort;
  filter: Filter;
  state?: 'draft' | 'published' | undefined;
  /** Fields to fetch; all when left out. */
  fields?: readonly string[] | undefined;
}

/** Any records of the site: only for its owner. */
export async function listOwn<F extends Fields>(
  collection: Collection<F>,
  { page, per_page, sort, filter, state, fields }: OwnPage,
) {
  const order = orderOf(sort);
  const asked = conditionsOf(ownFilterable(collection.resource.fields), filter, wordsBegun);
  const inState = state ? [isIn(state, collection.resource.fields)] : [];
  const conditions = { ...asked, plain: [...asked.plain, ...inState] };
  const listed = { collection, audience: 'owner' as const, conditions };
  const find = isFiltered(filter) ? findNarrowed : findPart;
  const { ids, total } = await find(listed, { order, limit: per_page, offset: (page - 1) * per_page });
  const columns = columnsFor(fields, []) ?? ownNames(collection.resource.fields);
  const rows = inOrder(ownRows(collection).where('id', 'in', ids), order);
  const items = ids.length > 0 ? await listRows(collection, { columns }, (names) => rows.select(names)) : [];
  return { items: typedRows<OwnRecordOf<F>>(items), page, per_page, total };
}

/** A resource without drafts has none. */
const isIn = (state: 'draft' | 'published', fields: Fields) =>
  hasDrafts(fields)
    ? sql<SqlBool>`is_draft = (select ${state === 'draft'}::boolean)`
    : sql<SqlBool>`${state === 'published'}::boolean`;

/** What there is to choose drafts by, newest first. */
export function listDrafts(collection: Collection, page: { page: number; per_page: number }) {
  const title = titleFieldOf(collection.resource);
  const drafts = ownRows(collection).where('is_draft', '=', true);
  return newestPage(
    drafts.select(['id', 'created', 'updated', 'revision', sql.ref<string>(title).as('title')]),
    page,
  );
}

/** Throws `not_found`. */
export async function getOwn<F extends Fields>(collection: Collection<F>, id: string) {
  const columns = ownNames(collection.resource.fields);
  const rows = await ownRows(collection).select(columns).where('id', '=', id).execute();
  const [record] = typedRows<OwnRecordOf<F>>(rows);
  if (!record) throw new ApiError('not_found');
  return record;
}

/** Throws `not_found` when there is no such record. */
export async function requireOwn(collection: Collection, id: string): Promise<void> {
  const record = await ownRows(collection).select('id').where('id', '=', id).executeTakeFirst();
  if (!record) throw new ApiError('not_found');
}

const ownRows = (collection: Collection<Fields>) =>
  contentTables(collection)
    .selectFrom(collection.resource.collection)
    .where('site_id', '=', collection.siteId);
