import { sql } from 'kysely';
import { titleFieldOf } from '../contract/resource.ts';
import { allResources } from '../contract/resources/index.ts';
import { pageOf } from '../contract/site-paths.ts';
import type { Database } from '../db/config.ts';

/** Record that was bought. `path` is that of its page; null if visitors cannot see it. */
export interface SoldRecord {
  id: string;
  title: string;
  path: string | null;
}

/** Records of one collection that still exist, by their IDs. */
export async function findSoldRecords(
  { database }: { database: Pick<Database, 'em'> },
  siteId: string,
  collection: string,
  ids: readonly string[],
): Promise<SoldRecord[]> {
  const resource = Object.values(allResources).find((known) => known.collection === collection);
  if (!resource) return [];
  const slug = 'slug' in resource.fields ? sql.ref('slug') : sql`''`;
  const { rows } = await sql<{ id: string; title: string; slug: string; is_public: boolean }>`
    select id, ${sql.ref(titleFieldOf(resource))} as title, ${slug} as slug, is_public from ${sql.table(collection)}
    where site_id = ${siteId} and id = any(${ids})`.execute(database.em.getKysely());
  return rows.map(({ id, title, slug: name, is_public }) => ({
    id,
    title,
    path: is_public ? pageOf(resource.name, name) : null,
  }));
}
