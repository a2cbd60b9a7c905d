import { type InferEntity, LockMode } from '@mikro-orm/core';
import { signInCode } from '../../../shared/contract/limits.ts';
import { randomText } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { SignInCode } from '../../../shared/db/entities/audience.ts';
import { SealedSecretError } from '../../../shared/webhooks/secret-box.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { inTransaction } from '../../kernel/transaction.ts';
import { startMemberSession } from './member-session.ts';
import { ensureMember, getMember } from './store.ts';

/** Whose code or account: an e-mail address at a site. */
interface Address {
  siteId: string;
  email: string;
}

/**
 * Sends a code to sign in with, which replaces any before it. Does the same, in the same time, whether the address is a
 * member's, a blocked member's or nobody's; a mail that can't be sent is logged, not told.
 */
export async function requestCode(deps: Deps, { siteId, email }: Address, name: string) {
  const code = randomText('0123456789', 6, deps.randomBytes);
  const expires_at = new Date(deps.clock.now().getTime() + signInCode.minutes * 60_000);
  await deps.database.em.fork().upsert(SignInCode, {
    site_id: siteId,
    email,
    name,
    code_sealed: deps.webhooks.secrets.seal(code, codeOwner({ siteId, email })),
    tries_left: signInCode.tries,
    expires_at,
  });
  const text = `Your code is ${code}. It works for ${signInCode.minutes} minutes.\n\nIf you did not ask for it, ignore this message.\n`;
  await deps.mailer.send({ to: email, subject: 'Your sign-in code', text });
}

/**
 * Signs a member in with their code, and makes the account at the first time. Throws `unauthorized` for a wrong, used or
 * expired code, after five wrong ones, and for a blocked member.
 */
export async function signIn(deps: Deps, { siteId, email }: Address, code: string) {
  const signedIn = await inTransaction(deps, siteId, async (em) => {
    const name = await useCode(em, deps, { siteId, email, code });
    if (name === null) return null;
    const memberId = await ensureMember(em, deps, { siteId, email, name });
    if (memberId === null) return null;
    return { memberId, ...(await startMemberSession(em, deps, { siteId, memberId })) };
  });
  // The try that it took stays taken, or codes could be guessed without end.
  if (!signedIn) throw new ApiError('unauthorized', 'wrong or expired code', { keepsWrites: true });
  const { memberId, ...session } = signedIn;
  return { ...session, member: await getMember(deps, siteId, memberId) };
}

/** The name given with the code, when it is right; null when not, and then one try is gone. A right one is used up. */
async function useCode(em: Transaction, deps: Deps, { siteId, email, code }: Address & { code: string }) {
  const row = await em.findOne(
    SignInCode,
    { site_id: siteId, email },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (!row || row.expires_at <= deps.clock.now() || row.tries_left === 0) return null;
  if (openCode(deps, row) !== code) {
    row.tries_left -= 1;
    return null;
  }
  em.remove(row);
  return row.name;
}

/** Null for a code that was sealed with another SECRET_KEY, which nobody can enter any more. */
function openCode({ webhooks }: Deps, { site_id, email, code_sealed }: InferEntity<typeof SignInCode>) {
  try {
    return webhooks.secrets.open(code_sealed, codeOwner({ siteId: site_id, email }));
  } catch (error) {
    if (error instanceof SealedSecretError) return null;
    throw error;
  }
}

const codeOwner = ({ siteId, email }: Address) => `${siteId}/${email}`;
