import type { EntityManager } from '@mikro-orm/postgresql';
import slugify from '@sindresorhus/slugify';
import { slugPattern } from '../../../shared/contract/fields.ts';
import { preparedStatement } from '../../../shared/db/prepared-statement.ts';
import type { Collection } from './collection.ts';

type Place = Pick<Collection, 'siteId' | 'resource'>;

/** What leaves room for `-2`, `-3` … within the longest slug. */
const longestBase = 180;

/** A slug for `title`; `fallback` when nothing of the title can be written in `a-z 0-9`. */
export function slugFrom(title: string, fallback: string): string {
  const written = slugify(title.normalize('NFKC'), { decamelize: false });
  const slug = slugBase(written);
  return slugPattern.test(slug) ? slug : fallback;
}

/** A slug that leaves room for a number behind it. */
export const slugBase = (slug: string) => slug.slice(0, longestBase).replace(/-+$/, '');

/**
 * The slug made from the record's title, with the first free number when that is taken or reserved: the SQL function
 * `free_slug`, which migration 0020 has last. A slug that was given and is taken, the unique index refuses. Nobody else gets it before the
 * transaction ends: writers of the same title wait for each other, those of other titles don't.
 */
export const freeSlug = (em: EntityManager, collection: Place, row: { id: string; title?: unknown }) =>
  freeSlugLike(em, collection, { id: row.id, base: slugFrom(String(row.title), row.id) });

/** The same made from another slug. */
export async function freeSlugLike(
  em: EntityManager,
  { siteId, resource }: Place,
  { id, base }: { id: string; base: string },
): Promise<string> {
  const isReserved = resource.reservedSlugs?.has(base) ?? false;
  const { slug } = await em
    .getKysely()
    .selectNoFrom(({ fn, val }) =>
      fn<string>('free_slug', [
        val(resource.collection),
        val(siteId),
        val(base),
        val(id),
        val(isReserved),
      ]).as('slug'),
    )
    .modifyFront(preparedStatement)
    .executeTakeFirstOrThrow();
  return slug;
}

/** Waits for whoever is about to get this slug, and keeps it from others until the transaction ends. */
export async function lockSlug(em: EntityManager, { siteId, resource }: Place, slug: string): Promise<void> {
  await em
    .getKysely()
    .selectNoFrom(({ fn, val }) =>
      fn('lock_slug', [val(resource.collection), val(siteId), val(slug)]).as('locked'),
    )
    .modifyFront(preparedStatement)
    .execute();
}
