import { type InferEntity, LockMode } from '@mikro-orm/core';
import { signInCode } from '../../../shared/contract/features/member.ts';
import { randomText } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { SignInCode } from '../../../shared/db/entities/audience.ts';
import { siteStrings } from '../../../shared/i18n/site-strings.ts';
import { sendTransactionalEmail } from '../../../shared/mail/transactional-email.ts';
import { openedOrNull } from '../../../shared/runtime/secret-box.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { startMemberSession } from './member-session.ts';
import { ensureMember, getMember } from './store.ts';

/**
 * Email address at a site, for which a code is requested or entered. `challenge` is optional: codes with different
 * challenges do not replace each other.
 */
interface CodeRequest {
  siteId: string;
  email: string;
  challenge?: string | undefined;
}

/**
 * Sends a code to sign in with, which replaces the earlier one with the same challenge. It does the same, in the same
 * time, whether the address belongs to a member, a blocked member or no one. A failed email is logged, and the caller
 * does not learn of it.
 */
export async function requestCode(deps: Deps, request: CodeRequest, name: string) {
  const code = randomText('0123456789', 6, deps.randomBytes);
  const expires_at = new Date(deps.clock.now().getTime() + signInCode.minutes * 60_000);
  const key = keyOf(deps, request);
  await deps.database.em.fork().upsert(SignInCode, {
    ...key,
    name,
    code_sealed: deps.secrets.seal(code, codeOwner(key)),
    tries_left: signInCode.tries,
    expires_at,
  });
  const { database, mailer: mail } = deps;
  await sendTransactionalEmail(
    { database, mail },
    { kind: 'code', siteId: request.siteId, to: request.email },
    (site) => {
      const strings = siteStrings(site.language);
      return {
        subject: strings.codeSubject,
        text: strings.codeMail(code, signInCode.minutes),
        language: strings.language,
        code,
      };
    },
  );
}

/**
 * Signs a member in with their code, and creates the account at the first sign-in. Null if the code is wrong or the member
 * is blocked. `session` is undefined if no code can be entered: none was requested, or it was used, expired or tried too
 * often. Throws `not_found` if the member is deleted during the call.
 */
export async function signIn(deps: Deps, request: CodeRequest, code: string) {
  const { siteId, email } = request;
  const signedIn = await inTransaction(deps, siteId, async (em) => {
    const row = await findCode(em, deps, request);
    if (!row) return { session: undefined };
    if (openCode(deps, row) !== code) {
      row.tries_left -= 1;
      return null;
    }
    em.remove(row);
    const memberId = await ensureMember(em, deps, siteId, email, row.name);
    if (memberId === null) return null;
    return { memberId, session: await startMemberSession(em, deps, siteId, memberId) };
  });
  if (!signedIn?.session) return signedIn;
  const { memberId, session } = signedIn;
  return { session: { ...session, member: await getMember(deps, siteId, memberId) } };
}

/**
 * Finds and locks the code that can still be tried, so that no other request tries it at the same time. Null if it
 * expired or has no tries left.
 */
async function findCode(em: Transaction, deps: Deps, request: CodeRequest) {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const row = await em.findOne(SignInCode, keyOf(deps, request), { lockMode });
  return row && row.expires_at > deps.clock.now() && row.tries_left > 0 ? row : null;
}

const keyOf = ({ secrets }: Deps, { siteId, email, challenge }: CodeRequest) => ({
  site_id: siteId,
  email,
  asker: challenge === undefined ? '' : secrets.fingerprint(`challenge ${challenge}`),
});

/** Decrypts a code; null if it was encrypted with another `SECRET_KEY`. Such a code cannot be entered. */
const openCode = ({ secrets }: Deps, { code_sealed, ...row }: InferEntity<typeof SignInCode>) =>
  openedOrNull(() => secrets.open(code_sealed, codeOwner(row)));

const codeOwner = ({ site_id, email }: { site_id: string; email: string }) => `${site_id}/${email}`;
