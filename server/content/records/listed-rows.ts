import { type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import { allOf, type Condition, type Conditions } from '../../api/filter-sql.ts';
import { type Collection, type ContentQuery, contentTables } from './collection.ts';

/** Whose lists: readers get what is public, an owner gets all. */
type Audience = 'readers' | 'owner';

export interface Listed {
  collection: Collection<Fields>;
  audience: Audience;
  conditions: Conditions;
}

export const everything: Conditions = { words: [], lists: [], plain: [] };

/**
 * The rows of a list, by the only index that can answer the conditions as they are written: PostgreSQL, whose statistics
 * can be wrong by any factor, might take another for a site or a table that it thinks small, and read the rows of other
 * sites or unpack the search vector of each record. So either index has the site in a collation of its own.
 */
export const listedRows = (listed: Listed) => (isFound(listed) ? rowsByContent(listed) : rowsInOrder(listed));

/** All public records of a collection, by the index of its lists. */
export const publicRows = (collection: Collection<Fields>) =>
  listedRows({ collection, audience: 'readers', conditions: everything });

/** Whether the index of words and lists answers a part of the conditions. */
export const isFound = ({ conditions: { words, lists } }: Listed) => words.length + lists.length > 0;

/** By the index of words and lists. The rest is asked in a form that no other index answers. */
export function rowsByContent({ collection, audience, conditions: { words, lists, plain } }: Listed) {
  const indexed = allOf([sql<SqlBool>`site_id collate "C" = ${collection.siteId}`, ...words, ...lists]);
  const open = sql<SqlBool>`(coalesce(is_public, false) and ${indexed})`;
  // What readers don't see is in an index of its own.
  const withheld = sql<SqlBool>`(not coalesce(is_public, false) and ${indexed})`;
  const found = audience === 'readers' ? open : sql<SqlBool>`(${open} or ${withheld})`;
  return rowsOf(collection).where(found).where(filtered(plain));
}

/** By an index that holds the records in an order, with the columns that most filters ask for. */
export function rowsInOrder({ collection, audience, conditions: { words, lists, plain } }: Listed) {
  const rows = rowsOf(collection).where('site_id', '=', sql<string>`${collection.siteId} collate "POSIX"`);
  // `created` is in no index but those of lists: without it, counting might pass over the ids of all sites.
  const counted = audience === 'readers' ? sql<SqlBool>`is_public` : sql<SqlBool>`created > '-infinity'`;
  return rows.where(allOf([counted, ...plain])).where(filtered([...words, ...lists]));
}

/** In a form that no index answers. */
const filtered = (conditions: readonly Condition[]) =>
  conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`coalesce(${allOf(conditions)}, false)`;

const rowsOf = (collection: Collection<Fields>): ContentQuery =>
  contentTables(collection).selectFrom(collection.resource.collection);
