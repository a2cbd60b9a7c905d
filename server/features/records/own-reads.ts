import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { OwnRecordOf } from '../../../shared/contract/resource.ts';
import type { ContentRow } from '../../../shared/db/entities/content.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newestPage } from '../../kernel/newest-page.ts';
import type { Collection } from './collection.ts';

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
  if (status) query = query.where(sql<SqlBool>`${isDraft(collection)} = ${status === 'draft'}`);
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

function ownRows<F extends Fields>({ deps, resource, siteId }: Collection<F>) {
  const reads: Kysely<Record<string, ContentRow>> = deps.database.em.getKysely();
  return reads.selectFrom(resource.collection).where('site_id', '=', siteId);
}

/** A resource without drafts has none. */
const isDraft = <F extends Fields>({ resource }: Collection<F>) =>
  'is_draft' in resource.fields ? sql`is_draft` : sql`false`;

const columnsOf = <F extends Fields>({ resource }: Collection<F>) => [
  'id',
  ...Object.keys(resource.fields),
  'created',
  'updated',
];
