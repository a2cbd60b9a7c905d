import { sql } from 'kysely';
import { sessionDays } from '../../../shared/contract/limits.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { MemberSession } from '../../../shared/db/entities/audience.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { entitlementsOf } from '../../../shared/selling/entitlements.ts';
import { isToken, newToken } from '../../api/access/credentials.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { noteWhereWritable } from '../../api/transaction.ts';

const seenEveryMs = 60_000;

/**
 * Returns a query for the active member of the site whose session token the request carries, with their entitlements `e`. It
 * has at most one row; none without a valid token.
 */
export function selectMember({ deps, siteId, memberToken = '' }: Context & { siteId: string }) {
  const now = deps.clock.now();
  const { countsTest } = deps.config;
  const open = entitlementsOf({ siteId: sql`m.site_id`, email: sql`m.email`, at: now, countsTest });
  return deps.database.em
    .getKysely()
    .selectFrom('member_sessions as s')
    .innerJoin('members as m', (join) =>
      join.onRef('m.site_id', '=', 's.site_id').onRef('m.id', '=', 's.member_id'),
    )
    .innerJoinLateral(open.as<'e'>(sql`e`), (join) => join.onTrue())
    .select(['m.id', 'm.email', 'm.last_seen_at', 'e.tiers'])
    .where('s.token_hash', '=', hashSecret(memberToken))
    .where('s.site_id', '=', siteId)
    .where('s.expires_at', '>', now)
    .where('m.status', '=', 'active');
}

/** Returns true if a token has the form of a member's session token. It may have expired. */
export const isMemberToken = (token = '') => isToken('svc_member_', token);

/**
 * Finds the active member of the site whose session token the request carries, with their entitlements, and records the
 * visit. Null if there is none.
 */
export async function findMember(ctx: Context & { siteId: string }) {
  if (!isMemberToken(ctx.memberToken)) return null;
  const member = await selectMember(ctx)
    .select(['s.id as session_id', 'e.is_member', 'e.purchases'])
    .executeTakeFirst();
  if (!member) return null;
  await noteVisit(ctx, member);
  return member;
}

/** Records that a member was seen, at most once a minute. */
export async function noteVisit(
  { deps, siteId }: Pick<Context, 'deps'> & { siteId: string },
  { id, last_seen_at }: { id: string; last_seen_at: Date | null },
) {
  const now = deps.clock.now();
  const stale = !last_seen_at || Math.abs(now.getTime() - last_seen_at.getTime()) >= seenEveryMs;
  if (stale) await noteWhereWritable(deps, () => noteSeen(deps, siteId, id));
}

/** Finds the member who is signed in, with their entitlements. Throws `unauthorized` if there is none. */
export async function getSignedIn(ctx: Context & { siteId: string }) {
  const member = await findMember(ctx);
  if (!member) throw new ApiError('unauthorized', 'missing, invalid or expired X-Member-Token');
  return member;
}

function noteSeen({ database, clock }: Deps, siteId: string, id: string) {
  const seen = database.em.getKysely().updateTable('members').set({ last_seen_at: clock.now() });
  return seen.where('site_id', '=', siteId).where('id', '=', id).execute();
}

/**
 * Starts a session of a member within a transaction. Returns its token, of which only the hash is stored, and its
 * end.
 */
export async function startMemberSession(
  em: Transaction,
  { clock, randomBytes }: Deps,
  siteId: string,
  memberId: string,
) {
  const now = clock.now();
  const token = newToken('svc_member_', siteId, randomBytes);
  const expires_at = new Timestamp(now.getTime() + sessionDays.member * 86_400_000);
  const session = em.create(MemberSession, {
    site_id: siteId,
    id: newRecordId(now, randomBytes),
    member_id: memberId,
    token_hash: hashSecret(token),
    expires_at,
    created: now,
  });
  await em.persist(session).flush();
  return { token, expires_at };
}

export async function endMemberSession({ database }: Deps, siteId: string, sessionId: string) {
  await database.em.fork().nativeDelete(MemberSession, { site_id: siteId, id: sessionId });
}
