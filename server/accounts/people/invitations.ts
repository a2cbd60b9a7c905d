import { sql } from 'kysely';
import { invitationDays } from '../../../shared/contract/features/people.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Role } from '../../../shared/contract/roles.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { Invitation, Person, SitePerson } from '../../../shared/db/entities/person.ts';
import { queueJob } from '../../../shared/db/jobs.ts';
import { newInvitationToken } from '../../../shared/mail/link-tokens.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { hostAdmits, hostNames } from '../../api/access/site-of-host.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';

type Inviter = Pick<Context, 'deps' | 'decisions'> & { siteId: string; actor: { name: string } };

/**
 * Sends an invitation link to an address; an earlier link stops working. The result does not reveal whether the address
 * has an account. Throws `validation_failed` if the person already works on the site, and `rate_limited`.
 */
export async function invite(
  { deps, siteId, actor, decisions }: Inviter,
  { email, role }: { email: string; role: Role },
) {
  await count(deps.limiter, decisions, { tier: 'invitations_site', subject: siteId });
  await count(deps.limiter, decisions, { tier: 'invitations_mailbox', subject: email });
  return inTransaction(deps, siteId, async (em) => {
    const { id, expires_at } = await storeInvitation(em, deps, siteId, { email, role }, null);
    await queueJob(em, 'mail_invitation', {
      site_id: siteId,
      invitation_id: id,
      expires_at: expires_at.toISOString(),
      by: actor.name,
    });
    return { id };
  });
}

/**
 * Creates an invitation without an email, for an operator who passes the link on. Returns its ID and token. Throws
 * `validation_failed` if the address already has a role on the site.
 */
export const makeInvitation = (deps: StoreDeps, siteId: string, invited: { email: string; role: Role }) =>
  inTransaction(deps, siteId, async (em) => {
    const token = newInvitationToken(deps.randomBytes);
    const token_hash = hashSecret(token);
    const { id } = await storeInvitation(em, deps, siteId, invited, token_hash);
    return { id, token };
  });

/**
 * Replaces an invitation of the same address, whose id remains. `token_hash` is null until the link is mailed. Throws
 * `validation_failed` if the address already has a role on the site.
 */
async function storeInvitation(
  em: Transaction,
  { clock, randomBytes }: StoreDeps,
  siteId: string,
  { email, role }: { email: string; role: Role },
  token_hash: string | null,
) {
  await requireStranger(em, siteId, email);
  const created = clock.now();
  const expires_at = new Date(created.getTime() + invitationDays * 86_400_000);
  const { rows } = await sql<{ id: string }>`
    insert into invitations (site_id, id, email, role, token_hash, is_used, expires_at, created)
    values (${siteId}, ${newRecordId(created, randomBytes)}, ${email}, ${role}, ${token_hash}, false, ${expires_at}, ${created})
    on conflict (site_id, email) do update set role = excluded.role, token_hash = excluded.token_hash, is_used = false,
      expires_at = excluded.expires_at, created = excluded.created
    returning id`.execute(em.getKysely());
  const { id } = found(rows[0]);
  return { id, expires_at };
}

async function requireStranger(em: Transaction, siteId: string, email: string) {
  const person = await em.findOne(Person, { email });
  if (person && (await em.count(SitePerson, { site_id: siteId, person_id: person.id })) > 0)
    throw new ApiError('validation_failed', 'email: already has a role on this site');
}

/**
 * Finds the invitation with this token, accepted or not. Null if it was replaced, revoked, expired or never existed,
 * or if `host` is another site's domain.
 */
export async function findInvitation({ deps, host }: Pick<Context, 'deps' | 'host'>, token: string) {
  const row = await deps.database.em
    .getKysely()
    .selectFrom('invitations')
    .select(['site_id', 'id', 'email', 'token_hash', 'is_used'])
    .where('token_hash', '=', hashSecret(token))
    .where('expires_at', '>', deps.clock.now())
    .where(hostAdmits(hostNames(host, deps.config), sql.ref('site_id')))
    .executeTakeFirst();
  return row ?? null;
}

export type FoundInvitation = NonNullable<Awaited<ReturnType<typeof findInvitation>>>;

/** Returns the error `unauthorized` for an invitation that cannot be accepted any more. */
export const usedInvitation = () =>
  new ApiError(
    'unauthorized',
    'this invitation was accepted, revoked or replaced, or has expired: ask for a new one',
  );

/** Account that accepts an invitation: an existing or a new one. */
export interface AcceptInput {
  id: string;
  email: string;
  name: string;
  password_hash: string;
  isNew: boolean;
}

/** Finds the account of an address; null if it has none. */
export async function findAccount({ database }: StoreDeps, email: string): Promise<AcceptInput | null> {
  const db = database.em.getKysely();
  const people = db.selectFrom('people').select(['id', 'email', 'name', 'password_hash']);
  const person = await people.where('email', '=', email).executeTakeFirst();
  return person ? { ...person, isNew: false } : null;
}

/**
 * Accepts an invitation and returns its role. The account gets this role on the site, unless it already has one there.
 * Throws `unauthorized` if the invitation was used, revoked or replaced. Throws `not_found` if the account was deleted.
 * Throws `account_exists` if another account with this address was created during the call.
 */
export const accept = (deps: StoreDeps, { site_id, id, token_hash }: FoundInvitation, person: AcceptInput) =>
  inTransaction(deps, site_id, async (em) => {
    const created = deps.clock.now();
    const { isNew, ...account } = person;
    // The person is locked first, as in all changes of an account.
    if (!isNew) await lockRow(em, Person, { id: person.id });
    const unused = { site_id, id, token_hash, is_used: false };
    if ((await em.nativeUpdate(Invitation, unused, { is_used: true })) === 0) throw usedInvitation();
    if (isNew) await makeAccount(em, { ...account, created, updated: created });
    const { role } = await em.findOneOrFail(Invitation, { site_id, id });
    await em.upsert(
      SitePerson,
      { site_id, person_id: person.id, role, created },
      { onConflictAction: 'ignore' },
    );
    return role;
  });

/** Creates an account. Waits for a concurrent creation with the same address, and then throws `account_exists`. */
async function makeAccount(
  em: Transaction,
  account: Omit<AcceptInput, 'isNew'> & { created: Date; updated: Date },
) {
  const people = em.getKysely().insertInto('people').values(account);
  const { numInsertedOrUpdatedRows } = await people
    .onConflict((it) => it.column('email').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw new ApiError('account_exists');
}
