import { unsetValues } from '../../shared/contract/fields.ts';
import type { PlanName } from '../../shared/contract/plans.ts';
import { profileFields } from '../../shared/contract/profile.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { Owner, ProfileEntity, Site } from '../../shared/db/entities/site.ts';
import { hashPassword } from '../access/password.ts';
import type { OperatorDeps } from '../deps.ts';

interface NewSite {
  name: string;
  plan: PlanName;
  subdomain?: string | null;
  custom_domain?: string | null;
}

/** Makes a site with an empty profile, and gives its id. */
export async function createSite(
  { database, clock, randomBytes }: OperatorDeps,
  site: NewSite,
): Promise<string> {
  const now = clock.now();
  const id = newRecordId(now, randomBytes);
  const em = database.em.fork();
  em.persist(em.create(Site, { id, mcp_enabled: true, created: now, updated: now, ...site }));
  em.persist(
    em.create(ProfileEntity, { ...unsetValues(profileFields), site_id: id, name: site.name, updated: now }),
  );
  await em.flush();
  return id;
}

/** Makes an owner, who can log in to the site's admin panel. */
export async function createOwner(
  deps: OperatorDeps,
  siteId: string,
  owner: { email: string; name: string; password: string },
) {
  const now = deps.clock.now();
  const em = deps.database.em.fork();
  const row = em.create(Owner, {
    site_id: siteId,
    id: newRecordId(now, deps.randomBytes),
    email: owner.email.toLowerCase(),
    name: owner.name,
    password_hash: await hashPassword(owner.password),
    created: now,
    updated: now,
  });
  await em.persist(row).flush();
}
