import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { RecordOf } from '../../../shared/contract/resource.ts';
import type { ContentRow } from '../../../shared/db/entities/content.ts';
import { preparedStatement } from '../../../shared/db/prepared-statement.ts';
import type { Collection } from './collection.ts';
import type { Position } from './cursor.ts';

/** Narrows a list of posts (DECISIONS 2). */
export interface Filter {
  tag?: string | undefined;
  q?: string | undefined;
}

interface Slice {
  sort: Sort;
  limit: number;
  after: Position | null;
  filter?: Filter;
  /** Columns to fetch; all that readers may see when left out. */
  columns?: readonly string[] | undefined;
}

type Rows<F> = Promise<RecordOf<F>[]>;

/** Public, non-draft records: all that these functions ever return. The next ones after a position, at most `limit`. */
export function listAfter<F extends Fields>(
  collection: Collection<F>,
  { sort, limit, after, filter = {}, columns }: Slice,
): Rows<F> {
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const column = sort.replace('-', '');
  const key = column === 'title' ? sql`title collate "und-x-icu"` : sql.ref(column);
  const comparison = sql.raw(direction === 'desc' ? '<' : '>');
  let query = selectPublic(collection, filter, columns)
    .orderBy(key, direction)
    .orderBy('id', direction)
    .limit(limit);
  if (after) query = query.where(sql<SqlBool>`(${key}, id) ${comparison} (${after.value}, ${after.id})`);
  return rowsOf<F>(query.execute());
}

/** Every record, newest first. */
export const listAll = <F extends Fields>(collection: Collection<F>): Rows<F> =>
  rowsOf<F>(selectPublic(collection).orderBy('created', 'desc').orderBy('id', 'desc').execute());

interface PageSlice {
  page: number;
  per_page: number;
  filter?: Filter;
  columns?: readonly string[] | undefined;
}

/**
 * One page by its number, newest first. The ids come from the index alone, and a page in the second half of a list
 * whose length is known is reached from its end, so that the last page is as fast as the first.
 */
export async function listPage<F extends Fields>(
  collection: Collection<F>,
  { page, per_page, filter = {}, columns }: PageSlice,
) {
  const known = keptCount(collection, filter);
  const picked = pageIds(collection, filter, { offset: (page - 1) * per_page, limit: per_page, known });
  const [items, total] = await Promise.all([
    rowsOf<F>(
      selectPublic(collection, {}, columns)
        .where('id', 'in', picked)
        .orderBy('created', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    ),
    known ?? count(collection, filter),
  ]);
  return { items, page, per_page, total };
}

function pageIds<F extends Fields>(
  collection: Collection<F>,
  filter: Filter,
  { offset, limit, known = 0 }: { offset: number; limit: number; known?: number | undefined },
) {
  const ids = publicRows(collection, filter).select('id');
  const fromEnd = known - offset - limit;
  if (fromEnd >= offset || offset >= known)
    return ids.orderBy('created', 'desc').orderBy('id', 'desc').limit(limit).offset(offset);
  return ids
    .orderBy('created', 'asc')
    .orderBy('id', 'asc')
    .limit(Math.min(limit, known - offset))
    .offset(Math.max(fromEnd, 0));
}

/** How many records a list has in all. Only a narrowed list is counted; the whole one has its number kept. */
export async function count(collection: Collection<Fields>, filter: Filter = {}): Promise<number> {
  const known = keptCount(collection, filter);
  if (known !== undefined) return known;
  const { total } = await publicRows(collection, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The kept length of a whole list; undefined for a narrowed one, or when the caller's key lookup has not told. */
function keptCount({ publicCount }: Collection<Fields>, { tag, q }: Filter): number | undefined {
  return tag === undefined && q === undefined ? publicCount : undefined;
}

/** The record with this id or slug; null when there is none, or none that is public. */
export async function findOne<F extends Fields>(
  collection: Collection<F>,
  by: { id: string } | { slug: string },
) {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['slug', by.slug] as const);
  const [row] = await rowsOf<F>(
    selectPublic(collection).modifyFront(preparedStatement).where(column, '=', value).execute(),
  );
  return row ?? null;
}

const selectPublic = <F extends Fields>(
  collection: Collection<F>,
  filter: Filter = {},
  columns?: readonly string[],
) => publicRows(collection, filter).select(columns ?? readableColumns(collection.resource.fields));

function publicRows<F extends Fields>({ deps, resource, siteId }: Collection<F>, filter: Filter) {
  const reads: Kysely<Record<string, ContentRow>> = deps.database.em.getKysely();
  let query = reads
    .selectFrom(resource.collection)
    .where('site_id', '=', siteId)
    .where(sql<SqlBool>`visibility = 'public'`);
  if ('is_draft' in resource.fields) query = query.where(sql<SqlBool>`not is_draft`);
  if (filter.tag !== undefined) query = query.where(sql<SqlBool>`tags @> ${[filter.tag]}`);
  if (filter.q !== undefined)
    query = query.where(sql<SqlBool>`${searchable} @@ websearch_to_tsquery('simple', ${filter.q})`);
  return query;
}

/** The very expression of `posts_search_idx`: bodies behind a gate are not searched. */
const searchable = sql`to_tsvector('simple', title || ' ' || excerpt || ' ' || case when access_tier = 'free' then left(content, 100000) else '' end)`;

const readableColumns = (fields: Fields) =>
  ['id', ...Object.keys(fields), 'created', 'updated'].filter((column) => column !== 'is_draft');

// The columns come from the resource's fields, so its rows have their types; the strict output contract checks them again.
const rowsOf = async <F>(rows: Promise<unknown[]>) => (await rows) as RecordOf<F>[];
