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
 * Has a link mailed to this address by which somebody comes to work on the site; one that was mailed before no longer works.
 * Whether the address has an account already makes no difference. Throws `validation_failed` for who works there already, and
 * `rate_limited`.
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

/** The same without a mail, for an operator who passes the link on: gives its token. */
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

/** The invitation with this token, accepted or not; null when it was replaced, taken back, its time is up, or it never was. */
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

export const usedInvitation = () =>
  new ApiError(
    'unauthorized',
    'this invitation was accepted, revoked or replaced, or has expired: ask for a new one',
  );

/** Who accepts: an account that there is, or one to be made. */
export interface Accepting {
  id: string;
  email: string;
  name: string;
  password_hash: string;
  isNew: boolean;
}

/** The account of an address, if it has one. */
export async function findAccount({ database }: StoreDeps, email: string): Promise<Accepting | null> {
  const db = database.em.getKysely();
  const people = db.selectFrom('people').select(['id', 'email', 'name', 'password_hash']);
  const person = await people.where('email', '=', email).executeTakeFirst();
  return person ? { ...person, isNew: false } : null;
}

/**
 * Uses the invitation: from now on they work on its site, in the role that it gives. Throws `unauthorized` when it was used,
 * and `account_exists` when an account was made of the address meanwhile.
 */
export const accept = (deps: StoreDeps, { site_id, id, token_hash }: FoundInvitation, person: Accepting) =>
  inTransaction(deps, site_id, async (em) => {
    const created = deps.clock.now();
    const { isNew, ...account } = person;
    // First, as all that is done to an account does.
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

/** Another who makes it at the same moment is waited for. */
async function makeAccount(
  em: Transaction,
  account: Omit<Accepting, 'isNew'> & { created: Date; updated: Date },
) {
  const people = em.getKysely().insertInto('people').values(account);
  const { numInsertedOrUpdatedRows } = await people
    .onConflict((it) => it.column('email').doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) throw new ApiError('account_exists');
}
