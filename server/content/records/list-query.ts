import { type SqlBool, sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import { allOf, type Condition, type Conditions } from '../../api/filter-sql.ts';
import { type Collection, type ContentQuery, contentTables } from './collection.ts';

/** Audience of a list: readers get public records, an owner gets all. */
type Audience = 'readers' | 'owner';

export interface ListQuery {
  collection: Collection<Fields>;
  audience: Audience;
  conditions: Conditions;
}

export const everything: Conditions = { search: [], lists: [], plain: [] };

/**
 * Returns a query of a list's rows in a form that only one index can serve. The caller selects columns. PostgreSQL's
 * statistics can be wrong by any factor. It might choose another index for a small site, and read rows of other sites or
 * decompress every search vector. Therefore each index has the site ID in its own collation.
 */
export const rowsOfList = (listQuery: ListQuery) =>
  isFound(listQuery) ? rowsByContent(listQuery) : rowsInOrder(listQuery);

/** Returns a query of all public records of a collection on its site, which uses the list index. The caller selects columns. */
export const publicRows = (collection: Collection<Fields>) =>
  rowsOfList({ collection, audience: 'readers', conditions: everything });

/** True if the index of words and lists serves a part of the conditions. */
export const isFound = ({ conditions: { search, lists } }: ListQuery) => search.length + lists.length > 0;

/** Returns a query that uses the index of words and lists. Other conditions have a form that no index serves. */
export function rowsByContent({ collection, audience, conditions: { search, lists, plain } }: ListQuery) {
  const indexed = allOf([sql<SqlBool>`site_id collate "C" = ${collection.siteId}`, ...search, ...lists]);
  const open = sql<SqlBool>`(coalesce(is_public, false) and ${indexed})`;
  // Records that readers cannot see have their own index.
  const withheld = sql<SqlBool>`(not coalesce(is_public, false) and ${indexed})`;
  const found = audience === 'readers' ? open : sql<SqlBool>`(${open} or ${withheld})`;
  return rowsOf(collection).where(found).where(filtered(plain));
}

/** Returns a query that uses an index in the list's order, which includes the columns of most filters. */
export function rowsInOrder({ collection, audience, conditions: { search, lists, plain } }: ListQuery) {
  const rows = rowsOf(collection).where('site_id', '=', sql<string>`${collection.siteId} collate "POSIX"`);
  // Only list indexes contain `created`. Without it, counting might read the IDs of all sites.
  const counted = audience === 'readers' ? sql<SqlBool>`is_public` : sql<SqlBool>`created > '-infinity'`;
  return rows.where(allOf([counted, ...plain])).where(filtered([...search, ...lists]));
}

/** Conditions in a form that no index serves. */
const filtered = (conditions: readonly Condition[]) =>
  conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`coalesce(${allOf(conditions)}, false)`;

const rowsOf = (collection: Collection<Fields>): ContentQuery =>
  contentTables(collection).selectFrom(collection.resource.collection);
