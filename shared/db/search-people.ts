import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { comparablePart } from '../contract/email.ts';

// Conditions for lists of members, subscribers and other audience rows. The indexes of migration 0034 match them.

type Condition = RawBuilder<SqlBool>;

/** Condition that one of these columns contains a text, in any case. */
const contains = (columns: readonly string[], part: string): Condition =>
  sql`(${sql.join(
    columns.map((column) => sql`strpos(lower(${sql.ref(column)}), lower(${part}::text)) > 0`),
    sql` or `,
  )})`;

/**
 * Returns the SQL conditions of a search for `q`; empty if it is undefined. Either one of the columns contains it, or the
 * column `search` does (migration 0034). `search` is lower case and stored as bytes, which PostgreSQL searches twice as
 * fast as text. A domain is also searched in its stored form.
 */
export const containing = (searched: 'search' | readonly string[], q: string | undefined): Condition[] => {
  if (q === undefined) return [];
  const isIn = (part: string): Condition =>
    searched === 'search'
      ? sql`position((select convert_to(lower(${part}::text), 'UTF8')) in search) > 0`
      : contains(searched, part);
  const stored = comparablePart(q.toLowerCase()) ?? '';
  return stored === '' || stored === q.toLowerCase() ? [isIn(q)] : [sql`(${isIn(q)} or ${isIn(stored)})`];
};

/**
 * Condition that a row belongs to the site. It uses the collation of the list index (migration 0034) and `created`, so
 * that only this index matches it and the index alone answers it. Otherwise PostgreSQL estimates that a full scan or an
 * index over all sites is cheaper.
 */
export const rowsOfList = (siteId: string): Condition =>
  sql`site_id collate "POSIX" = ${siteId} and created <= 'infinity'`;
