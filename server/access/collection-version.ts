import { sql } from 'kysely';
import type { CollectionVersion } from '../kernel/callers.ts';
import type { Deps } from '../kernel/deps.ts';

/** A collection of a site as it is now, for callers whose key query did not ask for it. */
export async function findCollectionVersion(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  collection: string,
): Promise<CollectionVersion> {
  const { rows } = await sql<CollectionVersion>`
    select version, public_count from collection_state where site_id = ${siteId} and collection = ${collection}
  `.execute(database.em.getKysely());
  // No write has raised the version of a collection without a row.
  return rows[0] ?? { version: 0, public_count: 0 };
}
