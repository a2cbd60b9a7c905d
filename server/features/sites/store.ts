import type { z } from 'zod';
import { defaultNewsletter } from '../../../shared/contract/features/newsletter-settings.ts';
import { profileFields } from '../../../shared/contract/features/profile.ts';
import type { CreateSite } from '../../../shared/contract/features/site.ts';
import { defaultLanguage, defaultTheme } from '../../../shared/contract/features/theme.ts';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { utc } from '../../../shared/contract/time-zone.ts';
import { ProfileEntity, Site } from '../../../shared/db/entities/site.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { refuseReserved, refuseTakenDomain } from './settings.ts';

const startingSettings = {
  mcp_enabled: true,
  language: defaultLanguage,
  currency: null,
  time_zone: utc,
  theme: defaultTheme,
  newsletter: defaultNewsletter,
};

/**
 * Makes a site with an empty profile, and gives its id, which may be chosen. Throws `validation_failed` for a domain that is
 * taken or reserved.
 */
export async function createSite(
  { database, clock, randomBytes }: StoreDeps,
  site: z.infer<typeof CreateSite>,
  id = newRecordId(clock.now(), randomBytes),
): Promise<string> {
  refuseReserved(site.subdomain);
  const now = clock.now();
  const em = database.em.fork();
  em.persist(em.create(Site, { ...startingSettings, id, created: now, updated: now, ...site }));
  em.persist(
    em.create(ProfileEntity, { ...unsetValues(profileFields), site_id: id, name: site.name, updated: now }),
  );
  await em.flush().catch(refuseTakenDomain);
  return id;
}

/** All sites, the first one first. */
export const listSites = ({ database }: StoreDeps) =>
  database.em.fork().findAll(Site, { orderBy: { created: 'asc', id: 'asc' } });
