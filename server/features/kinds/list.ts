import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { Kind } from '../../../shared/contract/kinds/kind.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { containing } from '../../kernel/filter-sql.ts';

interface ListQuery {
  page: number;
  per_page: number;
  q?: string | undefined;
}

/** A page of a kind's list, newest first: of rows that have `q` in one of the columns searched, and meet the filters given. */
export async function listKind<K extends Kind>(
  { database }: Pick<StoreDeps, 'database'>,
  siteId: string,
  { kind, query: { page, per_page, q, ...filter } }: { kind: K; query: ListQuery },
) {
  const given: Record<string, unknown> = filter;
  const narrowing = Object.entries(kind.filters ?? {}).flatMap(([name, { is, column }]) => {
    if (given[name] === undefined) return [];
    const field = sql.ref(column);
    return is === 'set'
      ? [sql<SqlBool>`(${field} is not null) = ${given[name]}`]
      : [sql<SqlBool>`${field} = ${given[name]}`];
  });
  const { dynamic } = database.em.getKysely();
  const rows = database.em
    .getKysely<Record<string, Record<string, unknown>>>()
    .selectFrom(kind.collection)
    .where('site_id', '=', siteId)
    .select(namesOf(kind.read).map((name) => dynamic.ref(name)));
  const where = [...containing(kind.searched, q), ...narrowing];
  const list = await newestPage({ database, siteId, rows, where }, { page, per_page });
  // The compiler doesn't know the columns of such a query; the strict contract of the output checks its rows again.
  return list as Omit<typeof list, 'items'> & { items: z.infer<K['read']>[] };
}
