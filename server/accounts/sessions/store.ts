import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import { sessionDays } from '../../../shared/contract/limits.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Role } from '../../../shared/contract/roles.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { OwnerSessionEntity, Person, SitePerson } from '../../../shared/db/entities/person.ts';
import { passwordMatches } from '../../../shared/runtime/password.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { newToken } from '../../api/access/credentials.ts';
import { hostAdmits, hostNames } from '../../api/access/site-of-host.ts';
import { ApiError } from '../../api/api-error.ts';
import type { OwnerLogin } from '../../api/callers.ts';
import type { Context } from '../../api/context.ts';
import type { Deps, StoreDeps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';
import { browserName, shortenedAddress } from './browser-name.ts';

/** Maximum number of listed sessions. More come from programs that sign in repeatedly. */
const maxSessions = 200;

/** Maximum number of sites to choose from. */
const maxSites = 1_000;

/** Person with the site that they sign in to. */
export interface Owner {
  site_id: string;
  role: Role;
  id: string;
  email: string;
  name: string;
  /** Hash that the password was compared with. */
  password_hash: string;
}

interface HostScope {
  deps: Deps;
  host: string;
}

/**
 * Finds the person with this login, on each of their sites that the host allows, or on the one in `site_id`. Null if
 * email, password or site is wrong; this takes the same time. Rejects with `DatabaseBusyError` if too many password
 * checks are waiting.
 */
export async function findOwner(
  scope: HostScope,
  { email, password, site_id }: { email: string; password: string; site_id?: string | undefined },
): Promise<Work[] | null> {
  const own = workOf(scope).where('p.email', '=', email);
  const owners = await (site_id === undefined ? own : own.where('m.site_id', '=', site_id)).execute();
  const [first] = owners;
  const compare = () => passwordMatches(password, first?.password_hash);
  const matches = await scope.deps.passwordChecks(first?.site_id ?? '', compare);
  return first && matches ? owners : null;
}

type Work = Owner & { site_name: string };

/** Lists a person's sites that the host allows, earliest first, or only `siteId`. Empty if there are none. */
export function findWork(scope: HostScope, personId: string, siteId?: string | null): Promise<Work[]> {
  const own = workOf(scope).where('p.id', '=', personId);
  return (siteId ? own.where('m.site_id', '=', siteId) : own).execute();
}

/** Lists the sites of a signed-in person that the host allows. */
export const listOwnSites = async (scope: HostScope, { person_id }: OwnerLogin) =>
  (await findWork(scope, person_id)).map(choiceOf);

/**
 * Returns the site to sign in to, and remembers the person in the browser. Throws `site_required` if there are
 * several sites, and `unauthorized` if `work` is empty.
 */
export function chosenOf({ browser }: Pick<Context, 'browser'>, work: readonly Work[]): Owner {
  const [owner, ...others] = work;
  if (!owner) throw wrongLogin();
  browser.remember(ownerAs(owner.email));
  if (others.length > 0) throw new ApiError('site_required', undefined, { sites: work.map(choiceOf) });
  return owner;
}

const choiceOf = ({ site_id: id, site_name: name, role }: Work) => ({ id, name, role });

/**
 * Returns site, actor and credential of a call without a session. Retries with one `credential` share an idempotency
 * key, whoever sends them.
 */
export const calledBy = (
  { site_id: siteId, id, name }: Pick<Owner, 'site_id' | 'id' | 'name'>,
  credential: string,
) => ({ siteId, actor: { kind: 'owner', id, name } as const, credential });

const workOf = ({ deps: { database, config }, host }: HostScope) =>
  database.em
    .getKysely()
    .selectFrom('people as p')
    .innerJoin('site_people as m', 'm.person_id', 'p.id')
    .innerJoin('sites as s', 's.id', 'm.site_id')
    .select(['m.site_id', 'm.role', 'p.id', 'p.email', 'p.name', 'p.password_hash', 's.name as site_name'])
    .where(hostAdmits(hostNames(host, config), sql.ref('m.site_id')))
    .orderBy('m.created')
    .orderBy('m.site_id')
    .limit(maxSites);

/**
 * Returns the error `unauthorized` for a wrong address or password. It is the same for both, so that it reveals no
 * accounts.
 */
export const wrongLogin = () => new ApiError('unauthorized', 'wrong email address or password');

/** Returns the name under which rate limits count the owner with this address. */
export const ownerAs = (email: string) => `owner ${email}`;

/** Details of a new session: the browser, the time of the second factor, and the session that replaces a password. */
type SessionCaller = Pick<Context, 'userAgent' | 'client'> & {
  proved_at?: Date | null;
  by?: Pick<OwnerLogin, 'site_id' | 'session_id'> | null;
};

/**
 * Starts a session and returns its token. Throws `unauthorized` if the password was replaced after the check, the
 * person left the site, or the session in `by` has ended.
 */
export async function startSession(deps: StoreDeps, owner: Owner, caller: SessionCaller) {
  const { userAgent, client, proved_at, by } = caller;
  const { clock, randomBytes } = deps;
  const token = newToken('svc_owner_', owner.site_id, randomBytes);
  const now = clock.now();
  const expires_at = new Timestamp(now.getTime() + sessionDays.owner * 86_400_000);
  const { site_id, id: person_id } = owner;
  const session = {
    site_id,
    id: newRecordId(now, randomBytes),
    owner_id: person_id,
    token_hash: hashSecret(token),
    expires_at,
    created: now,
    last_used_at: now,
    browser: browserName(userAgent),
    address: shortenedAddress(client),
    proved_at: proved_at ?? null,
  };
  await inTransaction(deps, site_id, async (em) => {
    // Locks the person, so that a concurrent password change or removal runs later and ends the session.
    await requireUnchanged(em, owner);
    if (by && (await em.count(OwnerSessionEntity, { site_id: by.site_id, id: by.session_id })) === 0)
      throw new ApiError('unauthorized', 'invalid or expired session token');
    if ((await em.count(SitePerson, { site_id, person_id })) === 0) throw wrongLogin();
    await em.insert(OwnerSessionEntity, session);
  });
  const { email, name, role } = owner;
  return { token, expires_at, owner: { id: person_id, email, name }, role };
}

/** Locks the person's password until the transaction ends. Throws `unauthorized` if it was replaced. */
export async function requireUnchanged(em: Transaction, { id, password_hash }: Owner) {
  const isThere = await em.findOne(Person, { id, password_hash }, { lockMode: LockMode.PESSIMISTIC_READ });
  if (!isThere) throw wrongLogin();
}

/** Lists a person's sessions on all sites, the latest first, at most `maxSessions`. Expired ones are left out. */
export async function listSessions({ database, clock }: StoreDeps, { person_id, session_id }: OwnerLogin) {
  const own = database.em.getKysely().selectFrom('owner_sessions').where('owner_id', '=', person_id);
  const rows = await own
    .select(['id', 'created', 'last_used_at', 'expires_at', 'browser', 'address'])
    .where('expires_at', '>', clock.now())
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(maxSessions)
    .execute();
  return rows.map((row) => ({ ...row, is_current: row.id === session_id }));
}

/** Ends one of the person's sessions. Throws `not_found` if it has ended or belongs to another person. */
export async function endSession(deps: StoreDeps, login: OwnerLogin, id: string) {
  if ((await endSessions(deps, login, id)) === 0) throw new ApiError('not_found');
}

/**
 * Ends all other sessions of the person on all sites, and returns their number. Throws `not_found` if the account was
 * deleted.
 */
export const endOtherSessions = (deps: StoreDeps, login: OwnerLogin) =>
  endSessions(deps, login, { $ne: login.session_id });

export const renamePerson = (deps: StoreDeps, { site_id, person_id: id }: OwnerLogin, name: string) =>
  inTransaction(deps, site_id, (em) => em.nativeUpdate(Person, { id }, { name, updated: deps.clock.now() }));

/**
 * Ends sessions and returns their number. The lock waits for a session that one of them is starting on another site, so
 * that it ends too.
 */
const endSessions = (deps: StoreDeps, { site_id, person_id }: OwnerLogin, id: string | { $ne: string }) =>
  inTransaction(deps, site_id, async (em) => {
    await lockRow(em, Person, { id: person_id });
    return em.nativeDelete(OwnerSessionEntity, { owner_id: person_id, id });
  });
