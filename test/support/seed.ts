import { randomUUID } from 'node:crypto';
import { createKey, updateKey } from '../../server/accounts/api-keys/store.ts';
import { startSession } from '../../server/accounts/sessions/store.ts';
import { createOwner } from '../../server/accounts/sites/owners.ts';
import { createSite } from '../../server/accounts/sites/store.ts';
import type { StoreDeps } from '../../server/api/deps.ts';
import type { PlanName } from '../../shared/contract/plans.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import type { Role } from '../../shared/contract/roles.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import { Person, SitePerson } from '../../shared/db/entities/person.ts';

const name = 'Olive Owner';

/** Browser from which owners of tests sign in. */
export const nobodysBrowser = { userAgent: undefined, client: '127.0.0.1' };

interface SeedKey {
  /** ID of the site; the first site if omitted. */
  siteId?: string;
  scopes?: Scope[];
  allowed_origins?: string[];
  expiry?: Date | null;
  /** False for a disabled key. */
  active?: boolean;
}

/** Returns functions that insert the data of a test, with the same code that operators use. */
export function createSeed(deps: StoreDeps) {
  let firstSite: Promise<string> | undefined;
  const site = (options: { plan?: PlanName; subdomain?: string; custom_domain?: string } = {}) =>
    createSite(deps, { name: 'A site', plan: 'pro', ...options });
  const ownSite = () => (firstSite ??= site());
  /** Creates a person without a password, because hashing one takes longer than the rest of most tests. */
  const personWithoutPassword = async (role: Role, siteId?: string) => {
    const id = newRecordId(deps.clock.now(), deps.randomBytes);
    const owner = {
      site_id: siteId ?? (await ownSite()),
      role,
      id,
      name,
      password_hash: 'none',
      email: `${randomUUID()}@example.com`,
    };
    const timestamp = deps.clock.now();
    const em = deps.database.em.fork();
    const { site_id, role: _, ...person } = owner;
    await em.insert(Person, { ...person, created: timestamp, updated: timestamp });
    await em.insert(SitePerson, { site_id, person_id: id, role, created: timestamp });
    return owner;
  };
  return {
    site,
    /** Returns the site that everything belongs to if no other is named. */
    ownSite,
    /** Creates an owner who is not signed in, and returns email and password. */
    async owner(siteId?: string) {
      const login = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
      await createOwner(deps, siteId ?? (await ownSite()), { name, ...login });
      return login;
    },
    /** Creates an owner without a password and returns a session token. */
    ownerToken: async (siteId?: string) =>
      (await startSession(deps, await personWithoutPassword('owner', siteId), nobodysBrowser)).token,
    /** Starts another session of a person and returns its token. */
    session: async (person: Parameters<typeof startSession>[1]) =>
      (await startSession(deps, person, nobodysBrowser)).token,
    /** Creates a person with this role, and returns them with a session token. */
    async person(role: Role, siteId?: string) {
      const person = await personWithoutPassword(role, siteId);
      return { ...person, token: (await startSession(deps, person, nobodysBrowser)).token };
    },
    /** Creates an API key and returns its full value. */
    async key({ siteId, scopes = ['read', 'write'], active = true, ...rest }: SeedKey = {}) {
      const site = siteId ?? (await ownSite());
      const { id, key } = await createKey(deps, site, { name: 'test', scopes, ...rest });
      if (!active) await updateKey({ deps, siteId: site }, { id, active });
      return key;
    },
  };
}
