import type { Kysely } from 'kysely';
import { profileFields } from '../../shared/contract/profile.ts';
import type { ProfileRow } from '../../shared/db/entities/site.ts';
import type { Deps } from '../deps.ts';

const columns = [...(Object.keys(profileFields) as (keyof typeof profileFields)[]), 'updated'] as const;

/** The profile of a site; null for a site that is unknown. */
export async function findProfile(
  { database }: Deps,
  siteId: string,
): Promise<Omit<ProfileRow, 'site_id'> | null> {
  const reads: Kysely<{ profiles: ProfileRow }> = database.em.getKysely();
  const row = await reads
    .selectFrom('profiles')
    .select(columns)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  return row ?? null;
}
