import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { AudienceTable } from '../../shared/contract/audience/audience-table.ts';
import { namesOf } from '../../shared/contract/names-of.ts';
import { newestPage } from '../../shared/db/newest-page.ts';
import { containing, rowsOfList } from '../../shared/db/search-people.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inTurn } from '../api/filter-sql.ts';

/**
 * Returns a page of a list, such as that of subscribers or purchases, newest first. It has the rows that contain `q`
 * in a searched column and meet the filters. With `updated_from`, it has rows that changed since then, in the order
 * of their changes; only lists with a column `updated` accept it.
 */
export async function listKind<K extends AudienceTable>(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  kind: K,
  {
    page,
    per_page,
    q,
    updated_from,
    ...filter
  }: { page: number; per_page: number; q?: string | undefined; updated_from?: Date | undefined },
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
  const isIndexed =
    kind.searched === 'search' && !updated_from && !filters.some(([, { is }]) => is === 'key');
  const { dynamic } = database.em.getKysely();
  const rows = database.em
    .getKysely<Record<string, Record<string, unknown>>>()
    .selectFrom(kind.collection)
    .where(isIndexed ? rowsOfList(siteId) : sql<SqlBool>`site_id = ${siteId}`)
    .$if(updated_from !== undefined, (changed) =>
      changed.where(sql<SqlBool>`updated >= ${updated_from}::timestamptz`),
    )
    .select(namesOf(kind.read).map((name) => dynamic.ref(name)));
  const conditions = [...containing(kind.searched, q), ...narrowing];
  const where = isIndexed ? inTurn(conditions) : conditions;
  const order = updated_from ? ({ by: ['updated', 'id'], direction: 'asc' } as const) : {};
  const list = await newestPage({ database, siteId, rows, where }, { page, per_page, ...order });
  // The compiler does not know columns that are selected by the names of a contract. The strict output contract
  // checks the rows.
  return list as Omit<typeof list, 'items'> & { items: z.infer<K['read']>[] };
}
