import { randomUUID } from 'node:crypto';
import { createKey, updateKey } from '../../server/features/api-keys/store.ts';
import { startSession } from '../../server/features/sessions/store.ts';
import { createOwner } from '../../server/features/sites/owners.ts';
import { createSite } from '../../server/features/sites/store.ts';
import type { Infrastructure } from '../../server/kernel/deps.ts';
import type { PlanName } from '../../shared/contract/plans.ts';
import type { Scope } from '../../shared/contract/scopes.ts';

interface SeedKey {
  /** The first site when left out. */
  siteId?: string;
  scopes?: Scope[];
  allowed_origins?: string[];
  expiry?: Date | null;
  /** False for a key that is switched off. */
  active?: boolean;
}

/** Puts what a test needs into the database, through the functions that operators use. */
export function createSeed(deps: Infrastructure) {
  let firstSite: Promise<string> | undefined;
  const site = (options: { plan?: PlanName; subdomain?: string; custom_domain?: string } = {}) =>
    createSite(deps, { name: 'A site', plan: 'pro', ...options });
  const ownSite = () => (firstSite ??= site());
  const newOwner = async (siteId?: string) => {
    const site_id = siteId ?? (await ownSite());
    const login = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
    const name = 'Olive Owner';
    const id = await createOwner(deps, site_id, { name, ...login });
    return { login, known: { site_id, id, name, email: login.email } };
  };
  return {
    site,
    /** The site that everything belongs to when no other is named. */
    ownSite,
    /** A new owner, not logged in. */
    owner: async (siteId?: string) => (await newOwner(siteId)).login,
    /** The token of a session of a new owner, who needs no password for it. */
    ownerToken: async (siteId?: string) => (await startSession(deps, (await newOwner(siteId)).known)).token,
    /** The full value of a new API key. */
    async key({ siteId, scopes = ['read', 'write'], active = true, ...rest }: SeedKey = {}) {
      const site = siteId ?? (await ownSite());
      const { id, key } = await createKey(deps, site, { name: 'test', scopes, ...rest });
      if (!active) await updateKey(deps, site, { id, active });
      return key;
    },
  };
}
