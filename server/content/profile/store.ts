import type { z } from 'zod';
import { Profile, profileFields, type UpdateProfile } from '../../../shared/contract/features/profile.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { storedValues } from '../../../shared/db/entities/content.ts';
import { ProfileEntity } from '../../../shared/db/entities/site.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../api/transaction.ts';

/** Returns the profile of a site; null for an unknown site. */
export async function findProfile({ database }: StoreDeps, siteId: string) {
  const profiles = database.em.getKysely().selectFrom('profiles').select(namesOf(Profile));
  return (await profiles.where('site_id', '=', siteId).executeTakeFirst()) ?? null;
}

/** Updates the given fields. Throws `not_found`, and `precondition_failed` if `ifMatch` does not match the revision. */
export async function updateProfile(write: SiteWrite, input: z.infer<typeof UpdateProfile>): Promise<void> {
  const changes = storedValues(profileFields, input);
  await inTransaction(write.deps, write.siteId, async (em) => {
    const row = await lockRow(em, ProfileEntity, { site_id: write.siteId });
    const updated = nextUpdated(row, write);
    if (Object.keys(changes).length > 0) em.assign(row, { ...changes, updated });
  });
}
