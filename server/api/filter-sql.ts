import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type FieldFilter, type FilterableFields, filtersOf } from '../../shared/contract/filters.ts';
import { withoutMarks } from './search-text.ts';

/** What leaves records out of a list, by the parameters of its contract; `q` and `tag` besides those of the fields. */
export interface Filter {
  q?: string | undefined;
  tag?: string | undefined;
  [parameter: string]: unknown;
}

export type Condition = RawBuilder<SqlBool>;

/** A `tsquery`. */
type Query = RawBuilder<unknown>;

/** Conditions by what answers them: an index of words and lists, or each record. */
export interface Conditions {
  words: readonly Condition[];
  lists: readonly Condition[];
  plain: readonly Condition[];
}

export const isFiltered = (filter: Filter) => Object.values(filter).some((value) => value !== undefined);

/**
 * What `filter` asks of the records. What is looked for comes from a subquery, so that the plan does not depend on how
 * common PostgreSQL thinks it is.
 */
export function conditionsOf(
  fields: FilterableFields,
  { q, tag, ...filter }: Filter,
  query: (q: string) => Query = wholeWords,
): Conditions {
  const used = filtersOf(fields).filter(({ parameter }) => filter[parameter] !== undefined);
  const [lists, others] = [used.filter(isOfList), used.filter((one) => !isOfList(one))];
  const condition = (one: FieldFilter) => conditionOf(one, filter[one.parameter]);
  return {
    words: q === undefined ? [] : [sql`search @@ (select ${query(withoutMarks(q))})`],
    lists: [
      ...(tag === undefined ? [] : [sql<SqlBool>`tags @> (select array[${tag}::text])`]),
      ...lists.map(condition),
    ],
    plain: others.map(condition),
  };
}

const wholeWords = (q: string): Query => sql`websearch_to_tsquery('simple', without_accents(${q}))`;

/**
 * Words whose last one is still being typed, and found by its beginning. Not where the end is more than a plain word: in
 * quotes, after `or`, with a minus sign. A word also begins after an apostrophe. One letter begins too many words to be
 * worth a look at all of them.
 */
export function wordsBegun(q: string): Query {
  const [, before = '', last] = /^(.*[\s'])?([\p{L}\p{N}][\p{L}\p{M}\p{N}]+)$/su.exec(q) ?? [];
  if (last === undefined || /"|\bor\s*$/i.test(before)) return wholeWords(q);
  return sql`websearch_to_tsquery('simple', without_accents(${before})) && to_tsquery('simple', without_accents(${`${last}:*`}))`;
}

const isOfList = ({ kind }: FieldFilter) => kind === 'list';

function conditionOf({ field, kind, question }: FieldFilter, value: unknown): Condition {
  const column = sql.ref(field);
  if (kind === 'list') return sql`${column} && (select ${value}::text[])`;
  switch (question) {
    case 'any':
      // Equations take a third of the time of `= any`, which unpacks its list for every record.
      return sql`(${sql.join(
        [value].flat().map((one) => sql`${column} = (select ${one}::text)`),
        sql` or `,
      )})`;
    case 'is':
      return sql`${column} = (select ${value}::boolean)`;
    case 'min':
      return sql`${column} >= (select ${value}::numeric)`;
    case 'max':
      return sql`${column} <= (select ${value}::numeric)`;
    default: {
      const [at, point] =
        kind === 'partial_date'
          ? [sql`date_beginning(${column})`, sql`date_beginning(${value})`]
          : [momentIn(field), sql`${value}::timestamptz`];
      return question === 'from' ? sql`${at} >= (select ${point})` : sql`${at} < (select ${point})`;
    }
  }
}

/** In a form that the index of what is due, which is one for all sites, does not answer. */
const momentIn = (field: string) =>
  field === 'publish_at' ? sql`nullif(publish_at, '-infinity')` : sql.ref(field);

/** All of `conditions` as one. */
export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;

/** All of `conditions`, each asked only where the first holds: PostgreSQL asks what seems cheaper of every row, and first. */
export const inTurn = ([first, ...others]: readonly Condition[]): Condition[] =>
  first && others.length > 0 ? [sql`case when ${first} then ${allOf(others)} end`] : first ? [first] : [];
