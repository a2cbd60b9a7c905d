import type { Fields } from '../../../shared/contract/fields.ts';
import type { OwnRecordOf } from '../../../shared/contract/resource.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { newestPage } from '../../kernel/newest-page.ts';
import { type Collection, contentTables, typedRows } from './collection.ts';

interface OwnPage {
  page: number;
  per_page: number;
  status?: 'draft' | 'published' | undefined;
}

/** Any records of the site, newest first: only for its owner. */
export async function listOwn<F extends Fields>(
  collection: Collection<F>,
  { page, per_page, status }: OwnPage,
) {
  let query = ownRows(collection);
  if (status && 'is_draft' in collection.resource.fields)
    query = query.where('is_draft', '=', status === 'draft');
  // A resource without drafts has none.
  else if (status === 'draft') query = query.where(({ lit }) => lit(false));
  const list = await newestPage(query.select(columnsOf(collection)), { page, per_page });
  return { ...list, items: typedRows<OwnRecordOf<F>>(list.items) };
}

/** Throws `not_found`. */
export async function getOwn<F extends Fields>(collection: Collection<F>, id: string) {
  const rows = await ownRows(collection).select(columnsOf(collection)).where('id', '=', id).execute();
  const [record] = typedRows<OwnRecordOf<F>>(rows);
  if (!record) throw new ApiError('not_found');
  return record;
}

const ownRows = (collection: Collection<Fields>) =>
  contentTables(collection)
    .selectFrom(collection.resource.collection)
    .where('site_id', '=', collection.siteId);

const columnsOf = <F extends Fields>({ resource }: Collection<F>) => [
  'id',
  ...Object.keys(resource.fields),
  'created',
  'updated',
];
