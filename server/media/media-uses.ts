import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { MediaUse } from '../../shared/contract/features/media.ts';
import { profileFields } from '../../shared/contract/features/profile.ts';
import type { FieldKind, Fields } from '../../shared/contract/fields.ts';
import { titleFieldOf } from '../../shared/contract/resource.ts';
import { allResources } from '../../shared/contract/resources/index.ts';
import { found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';

type Use = z.infer<typeof MediaUse>;

/** Kinds of fields that can contain the path of a file. Image fields contain its ID. */
export const addressKinds: readonly FieldKind[] = ['markdown', 'paragraph', 'url', 'image_url', 'text'];

/** Maximum number of uses to return: more than an owner reads before deleting a file. */
const maxUses = 100;

/**
 * Lists the records that use a file, including drafts, the profile and the site's settings; at most `maxUses`. It
 * reads all content of the site, so it counts as a search in the concurrency quotas. Throws `not_found`, and
 * `DatabaseBusyError` if too many searches are waiting.
 */
export async function usesOf(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  id: string,
): Promise<Use[]> {
  const db = database.em.getKysely();
  const known = db.selectFrom('media').select('id').where('site_id', '=', siteId).where('id', '=', id);
  found(await known.executeTakeFirst());
  const address = `/media/${id}/`;
  const ofContent = Object.values(allResources).map((resource) => {
    const { collection, fields } = resource;
    const title = sql.ref(titleFieldOf(resource));
    return sql`select ${collection}::text as collection, id, ${title} as title from ${sql.table(collection)}
      where site_id = ${siteId} and ${uses(fields, { id, address })}`;
  });
  const ofProfile = sql`select 'profile'::text, site_id, name from profiles
    where site_id = ${siteId} and ${uses(profileFields, { id, address })}`;
  const ofSite = sql`select 'settings'::text, id, name from sites
    where id = ${siteId} and position(${address} in concat(theme, selling, newsletter)) > 0`;
  const { rows } = await database.quotas.searches(siteId, () =>
    sql<Use>`${sql.join([...ofContent, ofProfile, ofSite], sql` union all `)} limit ${maxUses}`.execute(db),
  );
  return rows;
}

function uses(fields: Fields, { id, address }: { id: string; address: string }): RawBuilder<unknown> {
  const columns = Object.entries(fields).flatMap(([name, { kind }]) => {
    if (kind === 'image') return [sql`${sql.ref(name)} = ${id}`];
    return addressKinds.includes(kind) ? [sql`position(${address} in ${sql.ref(name)}) > 0`] : [];
  });
  return columns.length > 0 ? sql`(${sql.join(columns, sql` or `)})` : sql`false`;
}
