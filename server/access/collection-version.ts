import type { CollectionVersion } from '../kernel/callers.ts';
import type { Deps } from '../kernel/deps.ts';

/** A collection of a site as it is now, for callers whose key query did not ask for it. */
export async function findCollectionVersion(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  collection: string,
): Promise<CollectionVersion> {
  const row = await database.em
    .getKysely()
    .selectFrom('collection_state')
    .select(['version', 'public_count'])
    .where('site_id', '=', siteId)
    .where('collection', '=', collection)
    .executeTakeFirst();
  // No write has raised the version of a collection without a row.
  return row ?? { version: 0, public_count: 0 };
}
