import { unnamedSite } from '../../shared/contract/features/site.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { withLock } from '../../shared/db/advisory-lock.ts';
import { createKey } from '../accounts/api-keys/store.ts';
import { createOwner, listStaff, newPassword } from '../accounts/sites/owners.ts';
import { createSite, listSites } from '../accounts/sites/store.ts';
import type { Deps } from '../api/deps.ts';

interface FirstSiteOptions {
  databaseUrl: string;
  email: string;
  /** Generated if undefined. */
  password?: string | undefined;
  /** True if a new site gets example content and a demo key. */
  demo: boolean;
  onProgress(message: string): void;
}

/** Result of creating the first site. Secrets are present only in the call that created them. */
export interface FirstSite {
  ownerEmail: string;
  /** Null if the owner already existed or the password was given. */
  generatedPassword: string | null;
  demoKey: string | null;
}

/**
 * Creates the first site and its owner unless they exist. If several processes start over one database at the same
 * time, one of them creates both. Throws `validation_failed` if the email address belongs to another person.
 */
export function ensureFirstSite(deps: Deps, options: FirstSiteOptions): Promise<FirstSite> {
  return withLock(options.databaseUrl, 'firstSite', async () => {
    const [site] = await listSites(deps);
    const { siteId, demoKey } = site ? { siteId: site.id, demoKey: null } : await makeSite(deps, options);
    const owner = (await listStaff(deps)).find(({ role }) => role === 'owner');
    if (owner) return { ownerEmail: owner.email, generatedPassword: null, demoKey };
    return { ...(await makeOwner(deps, siteId, options)), demoKey };
  });
}

async function makeSite(deps: Deps, { demo, onProgress }: FirstSiteOptions) {
  onProgress(demo ? 'Creating the first site with example content' : 'Creating the first site');
  const siteId = await createSite(deps, { name: demo ? 'Ada Marsh' : unnamedSite, plan: 'pro' });
  if (!demo) return { siteId, demoKey: null };
  const { fillWithExample } = await import('../demo/fill.ts');
  await fillWithExample(deps, siteId);
  const { key } = await createKey(deps, siteId, { name: 'Demo', scopes: scopeNames });
  return { siteId, demoKey: key };
}

async function makeOwner(deps: Deps, siteId: string, { email, password }: FirstSiteOptions) {
  const chosen = password ?? newPassword(deps);
  await createOwner(deps, siteId, { email, name: 'Owner', password: chosen });
  return { ownerEmail: email, generatedPassword: password === undefined ? chosen : null };
}
