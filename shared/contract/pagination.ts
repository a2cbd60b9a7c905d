import { z } from 'zod';
import { documented } from './documented.ts';
import { comparedText } from './fields.ts';
import { paging } from './limits.ts';
import { listParameter } from './list-parameter.ts';

/** The orders of a cursor list. A minus sign puts the highest first. */
export const sorts = ['created', '-created', 'updated', '-updated', 'title', '-title'] as const;

export type CursorSort = (typeof sorts)[number];

/** Those of a numbered list. What was never published stands, in the order of publication, where it was created. */
const numberedSorts = [...sorts, 'published_at', '-published_at'] as const;

export type Sort = (typeof numberedSorts)[number];

/** A whole number in a query, where it is text, or over RPC, where it is a number. Nothing but digits writes one. */
export function wholeNumber(bounds: { min: number; max?: number; default: number }, description: string) {
  const least = z.int().min(bounds.min);
  // A whole number has a highest of its own.
  const bounded = bounds.max === undefined ? least : least.max(bounds.max);
  // Stated here too: JSON Schema drops the default of what is read from something else.
  const number = bounded.meta({ description, examples: [bounds.default], default: bounds.default });
  return z.preprocess(readDigits, number).default(bounds.default);
}

const readDigits = (value: number): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

export const cursorQuery = {
  cursor: z.string().describe('`next_cursor` of the previous page; omit it for the first page').optional(),
  limit: wholeNumber(paging.cursor, 'Maximum number of records per page'),
  sort: z.enum(sorts).default('-created').describe('Sort order; a leading minus sign means descending'),
};

type SortOf<F> = 'title' extends keyof F ? DatedSortOf<F> : Exclude<DatedSortOf<F>, 'title' | '-title'>;

type DatedSortOf<F> = 'published_at' extends keyof F ? Sort : Exclude<Sort, 'published_at' | '-published_at'>;

/** The orders of a numbered list of records with these fields: by title, and by publication, where they have that. */
export const sortsOf = <F extends object>(fields: F) =>
  numberedSorts.filter((sort): sort is SortOf<F> => {
    const name = sort.replace('-', '');
    return name === 'created' || name === 'updated' || name in fields;
  });

export function sortQuery<F extends object>(fields: F) {
  const possible = sortsOf(fields);
  const newestFirst = possible.find((sort) => sort === '-created');
  if (!newestFirst) throw new Error('every list has this order');
  return z.enum(possible).default(newestFirst).meta({ description: cursorQuery.sort.description });
}

export const pageQuery = {
  page: wholeNumber({ min: 1, default: 1 }, 'Page number, starting at 1'),
  per_page: wholeNumber(paging.page, 'Maximum number of records per page'),
};

/** Words to look for (docs/contract.md#search). */
export const wordsQuery = documented(
  comparedText(200).min(1),
  'Search query: only records that contain all of its words',
  'type-safe apis',
).optional();

/** A part of an address or name, by which an owner finds people. */
export const partQuery = documented(
  comparedText(200).min(1),
  'Text that the address or name must contain',
  'grace',
).optional();

const total = documented(z.int().min(0), 'Number of matching records on all pages', 12);

/**
 * `fields=a,b`: only these fields of each record. A name that the record doesn't have is refused. Answers are typed as
 * whole records all the same; the client package narrows its types by the fields it asks for.
 */
export const fieldsQuery = <const Names extends readonly string[]>(names: Names) =>
  listParameter(
    z.enum(names),
    names.slice(0, 2).join(','),
    'Fields to include in each record, separated by commas or as repeated parameters; all if omitted',
  ).optional();

/** Fields that come along when another is asked for: what explains a body's absence comes with it. */
export const companions = { content: ['is_gated', 'gate_reason'] } as const;

/** One page of a list that is paged by cursor. */
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

/** One page of a list that is paged by number. */
export const numberedPage = <T>(item: z.ZodType<T>) =>
  z
    .strictObject({
      items: z.array(item).describe('Records on this page'),
      page: documented(z.int(), 'Page number', 1),
      per_page: documented(z.int(), 'Maximum number of records per page', paging.page.default),
      total,
    })
    .meta(titleAfter(item, 'NumberedPage'));

/** The whole list, unpaged. */
export const simpleList = <T>(item: z.ZodType<T>) =>
  z.strictObject({ data: z.array(item).describe('All records') }).meta(titleAfter(item, 'List'));

/** A list is called after what it lists. */
function titleAfter(item: z.ZodType, suffix: string) {
  const title = item.meta()?.title;
  return title ? { title: `${title}${suffix}` } : {};
}
