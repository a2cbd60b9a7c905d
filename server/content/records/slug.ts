import { type RawBuilder, sql } from 'kysely';
import { slugFrom } from '../../../shared/content/slug.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { found } from '../../api/api-error.ts';
import type { Collection } from './collection.ts';

type SlugScope = Pick<Collection, 'siteId' | 'resource'>;

/**
 * SQL expression: a slug made from the title, with the next free number if it is taken or reserved. The SQL function
 * `free_slug` of migration 0004 locks the slug until the transaction ends. Only writers of the same title wait for each
 * other.
 */
export const freeSlug = (scope: SlugScope, { id, title }: { id: string; title?: unknown }) =>
  freeSlugLike(scope, id, slugFrom(String(title), id));

/** SQL expression: a free slug made from another slug, locked as by `freeSlug`. */
export const freeSlugLike = (
  { siteId, resource }: SlugScope,
  id: string,
  base: string,
): RawBuilder<string> => {
  const isReserved = resource.reservedSlugs?.has(base) ?? false;
  return sql`free_slug(${resource.collection}, ${siteId}, ${base}, ${id}, ${isReserved})`;
};

/**
 * SQL expression: a given slug, locked until the transaction ends. Its evaluation waits for concurrent transactions
 * that have locked the same slug. The unique index refuses a taken slug.
 */
export const lockedSlug = ({ siteId, resource }: SlugScope, slug: string): RawBuilder<string> =>
  sql`(select ${slug}::text from lock_slug(${resource.collection}, ${siteId}, ${slug}))`;

/**
 * Evaluates the SQL of a slug, which stays locked until the transaction ends. Throws `not_found` if the SQL returns
 * no row.
 */
export async function slugOf(em: Transaction, wanted: RawBuilder<string>): Promise<string> {
  const { rows } = await sql<{ slug: string }>`${preparedStatement}select ${wanted} as slug`.execute(
    em.getKysely(),
  );
  return found(rows[0]).slug;
}
