import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type FieldFilter, type FilterableFields, filtersOf } from '../../shared/contract/filters.ts';
import { withoutMarks } from './search-text.ts';

/** Filter parameters of a list: `q`, `tag`, and one for each filter of a field. */
export interface Filter {
  q?: string | undefined;
  tag?: string | undefined;
  [parameter: string]: unknown;
}

export type Condition = RawBuilder<SqlBool>;

/** A `tsquery`. */
type Query = RawBuilder<unknown>;

/** Conditions grouped by evaluation: a text or list index, or a check of each record. */
export interface Conditions {
  search: readonly Condition[];
  lists: readonly Condition[];
  plain: readonly Condition[];
}

export const isFiltered = (filter: Filter) => Object.values(filter).some((value) => value !== undefined);

/**
 * Creates the SQL conditions of `filter`. Values are in subqueries, so that the plan does not depend on PostgreSQL's
 * estimate of their frequency.
 */
export function conditionsOf(
  fields: FilterableFields,
  { q, tag, ...filter }: Filter,
  query: (q: string) => Query = wordQuery,
): Conditions {
  const used = filtersOf(fields).filter(({ parameter }) => filter[parameter] !== undefined);
  const [lists, others] = [used.filter(isOfList), used.filter((one) => !isOfList(one))];
  const condition = (one: FieldFilter) => conditionOf(one, filter[one.parameter]);
  return {
    search: q === undefined ? [] : [sql`search @@ (select ${query(withoutMarks(q))})`],
    lists: [
      ...(tag === undefined ? [] : [sql<SqlBool>`tags @> (select array[${tag}::text])`]),
      ...lists.map(condition),
    ],
    plain: others.map(condition),
  };
}

const wordQuery = (q: string): Query => sql`websearch_to_tsquery('simple', without_accents(${q}))`;

/**
 * Returns an SQL full-text query whose last word matches as a prefix, because it is still being typed. It matches as a
 * whole word if a double quote precedes it, after `or`, or after a minus sign. The prefix begins after a space or an
 * apostrophe and has at least two characters, only letters and digits. A single letter would match too many words.
 */
export function prefixQuery(q: string): Query {
  const [, before = '', last] = /^(.*[\s'])?([\p{L}\p{N}][\p{L}\p{M}\p{N}]+)$/su.exec(q) ?? [];
  if (last === undefined || /"|\bor\s*$/i.test(before)) return wordQuery(q);
  return sql`websearch_to_tsquery('simple', without_accents(${before})) && to_tsquery('simple', without_accents(${`${last}:*`}))`;
}

const isOfList = ({ kind }: FieldFilter) => kind === 'list';

function conditionOf({ field, kind, question }: FieldFilter, value: unknown): Condition {
  const column = sql.ref(field);
  if (kind === 'list') return sql`${column} && (select ${value}::text[])`;
  switch (question) {
    case 'any':
      // Comparisons joined by `or` take a third of the time of `= any`, which unpacks its list for every record.
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
          : [timestampField(field), sql`${value}::timestamptz`];
      return question === 'from' ? sql`${at} >= (select ${point})` : sql`${at} < (select ${point})`;
    }
  }
}

/**
 * Returns the SQL of a time field. `publish_at` has a form that does not use the index of due records, because that
 * index spans all sites.
 */
const timestampField = (field: string) =>
  field === 'publish_at' ? sql`nullif(publish_at, '-infinity')` : sql.ref(field);

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;

/**
 * Returns one condition that makes PostgreSQL evaluate the first one first, and the others only if it holds; empty for
 * none. Otherwise the planner would evaluate what it estimates as cheaper for every row.
 */
export const inTurn = ([first, ...others]: readonly Condition[]): Condition[] =>
  first && others.length > 0 ? [sql`case when ${first} then ${allOf(others)} end`] : first ? [first] : [];
