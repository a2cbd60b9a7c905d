import { mailboxOf } from '../../../shared/contract/email.ts';
import type { LimitName } from '../../../shared/contract/limits.ts';
import type { Context } from '../context.ts';
import { type Charge, count } from './count.ts';

type AttemptContext = Pick<Context, 'deps' | 'client' | 'browser' | 'decisions'>;

/**
 * Counts an attempt to act as this person, and returns its charges. A browser that the person signed in with before
 * counts in `byBrowser` only, because strangers can use up the charges of `otherwise`. Throws `rate_limited`.
 */
async function countAs(
  { deps: { limiter }, client, browser, decisions }: AttemptContext,
  person: string,
  { byBrowser, otherwise }: { byBrowser: LimitName; otherwise: readonly Charge[] },
): Promise<Charge[]> {
  const id = browser.id();
  const isOwn = id !== undefined && browser.isOf(person);
  // The cookie names a browser in which another person signed in. The limit for addresses was skipped for it, so
  // count now.
  if (id !== undefined && !isOwn) await count(limiter, decisions, { tier: 'strict', subject: client });
  const charges = isOwn ? [{ tier: byBrowser, subject: id }] : otherwise;
  const taken: Charge[] = [];
  for (const charge of charges) {
    try {
      await count(limiter, decisions, charge);
    } catch (refusal) {
      await giveBack(limiter, taken);
      throw refusal;
    }
    taken.push(charge);
  }
  return taken;
}

/**
 * Counts a request to send someone a code or a link by email. A person's own browsers have a limit each. Other requests
 * count by mailbox, so that many addresses or sites cannot fill the mailbox or guess the code. `mailbox` is the address at
 * the site that sends. Throws `rate_limited`.
 */
export const countMailed = (
  context: AttemptContext,
  person: string,
  { email, mailbox }: Record<'email' | 'mailbox', string>,
) =>
  countAs(context, person, {
    byBrowser: 'codes_browser',
    otherwise: [
      { tier: 'strict', subject: mailbox },
      { tier: 'codes_mailbox', subject: mailbox },
      { tier: 'codes_everywhere', subject: mailboxOf(email) },
    ],
  });

/**
 * Sign-in throttle: runs an attempt to prove that the caller is this person. Returns the attempt's result; null means that
 * it was wrong. Throws `rate_limited`.
 *
 *   ready ──guess──▶ counted ──attempt returns null──▶ counted until its window ends
 *                       └──any other outcome, or it throws──▶ refunded
 *
 * The attempt is counted before it runs, so that parallel attempts cannot exceed the limit. Only wrong ones stay counted. A
 * person's own browsers have a limit each; other attempts count by person and over all people.
 */
export async function throttleSignIn<T>(
  context: AttemptContext,
  person: string,
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  const taken = await countAs(context, person, {
    byBrowser: 'guesses_browser',
    otherwise: [
      { tier: 'guesses_person', subject: person },
      { tier: 'guesses_all', subject: '' },
    ],
  });
  return runCounted(context, taken, attempt);
}

/**
 * Runs an attempt of a caller who already signed in as this person or gave their password. Returns the attempt's
 * result; null means that it was wrong, and only then it remains counted. It counts by person and purpose over all
 * browsers: strangers cannot use up this limit, and more browsers do not raise it. Throws `rate_limited`.
 */
export async function throttleProof<T>(
  context: AttemptContext,
  { what, personId }: { what: 'password' | 'factor' | 'proof'; personId: string },
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  const charge = { tier: 'guesses_inside', subject: `${what} ${personId}` } as const;
  await count(context.deps.limiter, context.decisions, charge);
  return runCounted(context, [charge], attempt);
}

async function runCounted<T>(
  { deps: { limiter } }: AttemptContext,
  taken: readonly Charge[],
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  let isWrong = false;
  try {
    const outcome = await attempt();
    isWrong = outcome === null;
    return outcome;
  } finally {
    if (!isWrong) await giveBack(limiter, taken);
  }
}

async function giveBack(limiter: AttemptContext['deps']['limiter'], taken: readonly Charge[]) {
  for (const { tier, subject } of taken) await limiter.refund(tier, subject);
}
