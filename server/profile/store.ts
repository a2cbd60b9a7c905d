import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { type Profile, profileFields } from '../../shared/contract/profile.ts';
import type { Deps } from '../deps.ts';

type ProfileRow = z.infer<typeof Profile>;

const columns = [...(Object.keys(profileFields) as (keyof typeof profileFields)[]), 'updated'] as const;

/** The profile of a site; null for a site that is unknown. */
export async function findProfile({ database }: Deps, siteId: string): Promise<ProfileRow | null> {
  const reads: Kysely<{ profiles: ProfileRow & { site_id: string } }> = database.em.getKysely();
  const row = await reads
    .selectFrom('profiles')
    .select(columns)
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  return row ?? null;
}
