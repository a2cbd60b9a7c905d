import { type InferEntity, LockMode } from '@mikro-orm/core';
import { signInCode } from '../../../shared/contract/features/member.ts';
import { randomText } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { SignInCode } from '../../../shared/db/entities/audience.ts';
import { wordsOf } from '../../../shared/i18n/words.ts';
import { sendLetter } from '../../../shared/mail/letter.ts';
import { openedOrNull } from '../../../shared/runtime/secret-box.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';
import { startMemberSession } from './member-session.ts';
import { ensureMember, getMember } from './store.ts';

/** Whose code or account: an e-mail address at a site; and what whoever asks for the code gave along. */
interface Asker {
  siteId: string;
  email: string;
  challenge?: string | undefined;
}

/**
 * Sends a code to sign in with, which replaces any that was asked for with the same challenge. Does the same, in the same
 * time, whether the address is a member's, a blocked member's or nobody's; a mail that can't be sent is logged, not told.
 */
export async function requestCode(deps: Deps, asked: Asker, name: string) {
  const code = randomText('0123456789', 6, deps.randomBytes);
  const expires_at = new Date(deps.clock.now().getTime() + signInCode.minutes * 60_000);
  const key = keyOf(deps, asked);
  await deps.database.em.fork().upsert(SignInCode, {
    ...key,
    name,
    code_sealed: deps.secrets.seal(code, codeOwner(key)),
    tries_left: signInCode.tries,
    expires_at,
  });
  const { database, mailer: mail } = deps;
  await sendLetter({ database, mail }, { kind: 'code', siteId: asked.siteId, to: asked.email }, (site) => {
    const words = wordsOf(site.language);
    return {
      subject: words.codeSubject,
      text: words.codeMail(code, signInCode.minutes),
      language: words.language,
      code,
    };
  });
}

/**
 * Signs a member in with their code, and makes the account at the first time. Null for a wrong code, and for a blocked
 * member's; without a session where there is no code to guess: none was asked for, it is used, expired or was tried too often.
 */
export async function signIn(deps: Deps, asked: Asker, code: string) {
  const { siteId, email } = asked;
  const signedIn = await inTransaction(deps, siteId, async (em) => {
    const row = await findCode(em, deps, asked);
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

/** The code that can still be tried, which nobody else tries meanwhile. */
async function findCode(em: Transaction, deps: Deps, asked: Asker) {
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const row = await em.findOne(SignInCode, keyOf(deps, asked), { lockMode });
  return row && row.expires_at > deps.clock.now() && row.tries_left > 0 ? row : null;
}

const keyOf = ({ secrets }: Deps, { siteId, email, challenge }: Asker) => ({
  site_id: siteId,
  email,
  asker: challenge === undefined ? '' : secrets.fingerprint(`challenge ${challenge}`),
});

/** Null for a code that was sealed with another SECRET_KEY, which nobody can enter any more. */
const openCode = ({ secrets }: Deps, { code_sealed, ...row }: InferEntity<typeof SignInCode>) =>
  openedOrNull(() => secrets.open(code_sealed, codeOwner(row)));

const codeOwner = ({ site_id, email }: { site_id: string; email: string }) => `${site_id}/${email}`;
