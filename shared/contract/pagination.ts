import { z } from 'zod';
import { documented } from './documented.ts';
import { comparedText } from './fields.ts';
import { paging } from './limits.ts';
import { listParameter } from './list-parameter.ts';

/** Sort orders of a list that is paged by cursor. A minus sign means descending. */
export const sorts = ['created', '-created', 'updated', '-updated', 'title', '-title'] as const;

export type CursorSort = (typeof sorts)[number];

/** Sort orders of a list with page numbers. Records without a publication time are sorted by their creation time. */
const numberedSorts = [...sorts, 'published_at', '-published_at'] as const;

export type Sort = (typeof numberedSorts)[number];

/**
 * Returns the schema of a whole number within `bounds`: digits in a query string, a number over RPC. If omitted, it
 * is `bounds.default`.
 */
export function wholeNumber(bounds: { min: number; max?: number; default: number }, description: string) {
  const minimum = z.int().min(bounds.min);
  // Without `max`, the maximum of `z.int()` applies.
  const bounded = bounds.max === undefined ? minimum : minimum.max(bounds.max);
  // The default is repeated here, because JSON Schema drops it for preprocessed input.
  const number = bounded.meta({ description, examples: [bounds.default], default: bounds.default });
  return z.preprocess(readDigits, number).default(bounds.default);
}

const readDigits = (value: number): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

/** Query parameters of a list that is paged by cursor. */
export const cursorQuery = {
  cursor: z.string().describe('`next_cursor` of the previous page; omit it for the first page').optional(),
  limit: wholeNumber(paging.cursor, 'Maximum number of records per page'),
  sort: z.enum(sorts).default('-created').describe('Sort order; a leading minus sign means descending'),
};

type SortOf<F> = 'title' extends keyof F ? DatedSortOf<F> : Exclude<DatedSortOf<F>, 'title' | '-title'>;

type DatedSortOf<F> = 'published_at' extends keyof F ? Sort : Exclude<Sort, 'published_at' | '-published_at'>;

/**
 * Returns the sort orders of a list with page numbers for records with these fields. Title and publication time are
 * included if the fields have them.
 */
export const sortsOf = <F extends object>(fields: F) =>
  numberedSorts.filter((sort): sort is SortOf<F> => {
    const name = sort.replace('-', '');
    return name === 'created' || name === 'updated' || name in fields;
  });

/** Returns the schema of the query parameter for the sort order; newest first if omitted. */
export function sortQuery<F extends object>(fields: F) {
  const possible = sortsOf(fields);
  const newestFirst = possible.find((sort) => sort === '-created');
  if (!newestFirst) throw new Error('every list has this order');
  return z.enum(possible).default(newestFirst).meta({ description: cursorQuery.sort.description });
}

/** Query parameters of a list with page numbers. */
export const pageQuery = {
  page: wholeNumber({ min: 1, default: 1 }, 'Page number, starting at 1'),
  per_page: wholeNumber(paging.page, 'Maximum number of records per page'),
};

/** Query parameter for the words of a search (docs/reference/search.md). */
export const searchQuery = documented(
  comparedText(200).min(1),
  'Search query: only records that contain all of its words',
  'type-safe apis',
).optional();

/** Query parameter for a part of an address or name, with which an owner finds people. */
export const partQuery = documented(
  comparedText(200).min(1),
  'Text that the address or name must contain',
  'grace',
).optional();

const total = documented(z.int().min(0), 'Number of matching records on all pages', 12);

/**
 * Returns the schema of the query parameter `fields=a,b` for the fields of each record. An unknown name is refused.
 * Answers have the type of whole records anyway; the client package narrows it.
 */
export const fieldsQuery = <const Names extends readonly string[]>(names: Names) =>
  listParameter(
    z.enum(names),
    names.slice(0, 2).join(','),
    'Fields to include in each record, separated by commas or as repeated parameters; all if omitted',
  ).optional();

/** Fields that are returned together with a requested field: those that explain a missing body. */
export const companions = { content: ['is_gated', 'gate_reason'] } as const;

/** Returns the schema of one page of a list that is paged by cursor, with the total number of records. */
export const cursorPage = <T>(item: z.ZodType<T>) =>
  z
    .strictObject({
      data: z.array(item).describe('Records on this page'),
      total,
      count: documented(z.int().min(0), 'Number of records on this page', 1),
      per_page: documented(z.int(), 'Applied `limit`', paging.cursor.default),
      next_cursor: z.string().optional().describe('Cursor of the next page; absent on the last page'),
    })
    .meta(titleAfter(item, 'Page'));

/** Returns the schema of one page of a list with page numbers, with the total number of records. */
export const numberedPage = <T>(item: z.ZodType<T>) =>
  z
    .strictObject({
      items: z.array(item).describe('Records on this page'),
      page: documented(z.int(), 'Page number', 1),
      per_page: documented(z.int(), 'Maximum number of records per page', paging.page.default),
      total,
    })
    .meta(titleAfter(item, 'NumberedPage'));

/** Returns the schema of a complete list without paging. */
export const simpleList = <T>(item: z.ZodType<T>) =>
  z.strictObject({ data: z.array(item).describe('All records') }).meta(titleAfter(item, 'List'));

/** Title of a list's schema, derived from the title of its items. */
function titleAfter(item: z.ZodType, suffix: string) {
  const title = item.meta()?.title;
  return title ? { title: `${title}${suffix}` } : {};
}
