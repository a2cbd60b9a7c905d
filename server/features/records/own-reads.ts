import type { Fields } from '../../../shared/contract/fields.ts';
import type { OwnRecordOf } from '../../../shared/contract/resource.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { newestPage } from '../../kernel/newest-page.ts';
import { type Collection, contentTables } from './collection.ts';

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
  // The columns come from the resource's fields, as in `reads.ts`.
  return { ...list, items: list.items as OwnRecordOf<F>[] };
}

/** Throws `not_found`. */
export async function getOwn<F extends Fields>(collection: Collection<F>, id: string) {
  const row = await ownRows(collection).select(columnsOf(collection)).where('id', '=', id).executeTakeFirst();
  if (!row) throw new ApiError('not_found');
  return row as OwnRecordOf<F>;
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
