import { z } from 'zod';
import { defaultNewsletter } from '../../../shared/contract/features/newsletter.ts';
import { defaultSelling } from '../../../shared/contract/features/offers.ts';
import { profileFields } from '../../../shared/contract/features/profile.ts';
import {
  type CreateSite,
  isReservedSubdomain,
  type OperateSite,
  StoredSettings,
} from '../../../shared/contract/features/site.ts';
import { defaultLanguage, defaultTheme } from '../../../shared/contract/features/theme.ts';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { keysOf, namesOf, omitUndefined } from '../../../shared/contract/names-of.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { isServiceDomain, ownOriginOf } from '../../../shared/contract/site-paths.ts';
import { utc } from '../../../shared/contract/time-zone.ts';
import { ProfileEntity, Site } from '../../../shared/db/entities/site.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../api/transaction.ts';

const startingSettings = {
  mcp_enabled: true,
  language: defaultLanguage,
  currency: null,
  time_zone: utc,
  theme: defaultTheme,
  newsletter: defaultNewsletter,
  selling: defaultSelling,
};

/**
 * Creates a site with an empty profile and returns its id, which may be chosen. Throws `validation_failed` for a domain
 * that is taken or reserved.
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

/** Lists all sites, earliest first. */
export const listSites = ({ database }: StoreDeps) =>
  database.em.fork().findAll(Site, { orderBy: { created: 'asc', id: 'asc' } });

/**
 * Returns the settings of a site. `origin` is null if it has neither a custom domain nor a subdomain. Throws
 * `not_found`.
 */
export async function getSettings({ database, config }: Pick<Deps, 'database' | 'config'>, siteId: string) {
  const sites = database.em.getKysely().selectFrom('sites').select(namesOf(StoredSettings));
  const row = found(await sites.where('id', '=', siteId).executeTakeFirst());
  return { ...row, origin: ownOriginOf(row, config) };
}

/**
 * Changes the given settings, effective from the next request. Throws `not_found`, `precondition_failed` if `ifMatch`
 * does not match the revision, or `validation_failed` for a domain that is taken or reserved.
 */
export async function updateSettings(write: SiteWrite, input: z.infer<typeof OperateSite>) {
  const { theme, newsletter, selling, ...rest } = omitUndefined(input);
  const work = inTransaction(write.deps, write.siteId, async (em) => {
    const row = await lockRow(em, Site, { id: write.siteId });
    const updated = nextUpdated(row, write);
    if (rest.subdomain !== row.subdomain) refuseReserved(rest.subdomain);
    const changes = {
      ...rest,
      ...(theme && { theme: { ...row.theme, ...omitUndefined(theme) } }),
      ...(newsletter && { newsletter: { ...row.newsletter, ...omitUndefined(newsletter) } }),
      ...(selling && { selling: { ...row.selling, ...omitUndefined(selling) } }),
    };
    if (Object.keys(changes).length > 0) em.assign(row, { ...changes, updated });
  });
  await work.catch(refuseTakenDomain);
}

/** Throws `validation_failed` for a reserved subdomain. */
function refuseReserved(subdomain: string | null | undefined) {
  if (isReservedSubdomain(subdomain))
    throw new ApiError('validation_failed', 'subdomain: is reserved; choose another');
}

/** Rethrows a database error; a taken domain becomes `validation_failed`. */
function refuseTakenDomain(error: unknown): never {
  const { data: violated } = Violation.safeParse(error);
  if (!violated) throw error;
  const field = fieldOf[violated.constraint];
  throw new ApiError('validation_failed', `${field}: already in use by another site`, { cause: error });
}

const fieldOf = { sites_subdomain_key: 'subdomain', sites_custom_domain_key: 'custom_domain' } as const;

/** Error of PostgreSQL for a domain that two sites would have. */
const Violation = z.object({ constraint: z.enum(keysOf(fieldOf)) });

/**
 * Throws `validation_failed` if a custom domain is the service's own host or below it: the credentials of every other
 * site would not work there.
 */
export function refuseOurDomain(publicHost: string, domain: string | null | undefined) {
  if (isServiceDomain(domain, publicHost))
    throw new ApiError('validation_failed', `custom_domain: must not be a subdomain of ${publicHost}`);
}
