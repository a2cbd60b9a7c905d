import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { Kind } from '../../shared/contract/kinds/kind.ts';
import { namesOf } from '../../shared/contract/names-of.ts';
import { containing, listedOf } from '../../shared/db/lists-of-people.ts';
import { newestPage } from '../../shared/db/newest-page.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inTurn } from '../api/filter-sql.ts';

/** Lists a page of an audience table, newest first: rows that contain `q` in a searched column, and match the filters. */
export async function listKind<K extends Kind>(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  kind: K,
  { page, per_page, q, ...filter }: { page: number; per_page: number; q?: string | undefined },
) {
  const given: Record<string, unknown> = filter;
  const filters = Object.entries(kind.filters ?? {}).filter(([name]) => given[name] !== undefined);
  const narrowing = filters.map(([name, { is, column }]) => {
    const value = sql`${given[name]}::${sql.raw(typeof given[name] === 'boolean' ? 'boolean' : 'text')}`;
    const field = sql.ref(column);
    // A subquery keeps PostgreSQL from choosing an index by status, which covers all sites.
    return is === 'set'
      ? sql<SqlBool>`(${field} is not null) = ${value}`
      : sql<SqlBool>`${field} = (select ${value})`;
  });
  const isIndexed = kind.searched === 'search' && !filters.some(([, { is }]) => is === 'key');
  const { dynamic } = database.em.getKysely();
  const rows = database.em
    .getKysely<Record<string, Record<string, unknown>>>()
    .selectFrom(kind.collection)
    .where(isIndexed ? listedOf(siteId) : sql<SqlBool>`site_id = ${siteId}`)
    .select(namesOf(kind.read).map((name) => dynamic.ref(name)));
  const conditions = [...containing(kind.searched, q), ...narrowing];
  const where = isIndexed ? inTurn(conditions) : conditions;
  const list = await newestPage({ database, siteId, rows, where }, { page, per_page });
  // The compiler does not know the columns of such a query; the strict output contract checks its rows.
  return list as Omit<typeof list, 'items'> & { items: z.infer<K['read']>[] };
}
