import { type RawBuilder, sql } from 'kysely';
import { slugFrom } from '../../../shared/content/slug.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { found } from '../../api/api-error.ts';
import type { Collection } from './collection.ts';

type SlugScope = Pick<Collection, 'siteId' | 'resource'>;

/**
 * SQL of the slug made from the record's title, with the first free number when that is taken or reserved: the SQL
 * function `free_slug`, which migration 0004 has. Nobody else gets it before the transaction ends: writers of the
 * same title wait for each other, those of other titles don't.
 */
export const freeSlug = (scope: SlugScope, { id, title }: { id: string; title?: unknown }) =>
  freeSlugLike(scope, id, slugFrom(String(title), id));

/** The same made from another slug. */
export const freeSlugLike = (
  { siteId, resource }: SlugScope,
  id: string,
  base: string,
): RawBuilder<string> => {
  const isReserved = resource.reservedSlugs?.has(base) ?? false;
  return sql`free_slug(${resource.collection}, ${siteId}, ${base}, ${id}, ${isReserved})`;
};

/**
 * SQL of a slug that was given: waits for whoever is about to get it, and keeps it from others until the transaction
 * ends. One that is taken, the unique index refuses.
 */
export const lockedSlug = ({ siteId, resource }: SlugScope, slug: string): RawBuilder<string> =>
  sql`(select ${slug}::text from lock_slug(${resource.collection}, ${siteId}, ${slug}))`;

/** The slug that SQL of it gives, locked until the transaction ends. */
export async function slugOf(em: Transaction, wanted: RawBuilder<string>): Promise<string> {
  const { rows } = await sql<{ slug: string }>`${preparedStatement}select ${wanted} as slug`.execute(
    em.getKysely(),
  );
  return found(rows[0]).slug;
}
