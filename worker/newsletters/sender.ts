import type { MailingKey } from '../../shared/db/mailing-counts.ts';
import { createBackoff, createQueue, type QueueState, type Turn, type WorkQueue } from '../queue/queue.ts';
import { type ClaimedRecipient, leaseSeconds } from './claim.ts';
import { createConnections, type MailingDeps } from './connections.ts';
import { runMailingRound } from './mailing-round.ts';
import type { SettledRecipient } from './settle-recipients.ts';

interface LeasedMailing {
  /** Lease end on the clock of `performance.now()`. */
  leaseEndsAt: number;
}

type Copy = ClaimedRecipient & LeasedMailing;

type SentRecipient = SettledRecipient & LeasedMailing;

/**
 * Pauses after a failed round of a mailing, in milliseconds. They are short compared with a lease, within which outcomes
 * have to be stored.
 */
const pauseMs = { first: 250, longest: 2_000 } as const;

/**
 * Longest pause between rounds, in milliseconds. A round costs almost the same for one email as for one per connection.
 * Waiting for more free connections therefore saves work.
 */
const maxBatchWaitMs = 10;

/**
 * Mailing sender.
 *
 * A recipient row moves through these states:
 *
 *   queued ──claim──▶ sending ──▶ accepted | refused | skipped        (final)
 *                        │  ├──▶ retrying  (temporary failure: due again after 1, 5, 30 min, 2 h, 12 h, then refused;
 *                        │  │               no mail server or not attempted: due again after 1 min, attempt not counted)
 *                        │  └──▶ unknown   (the server may have the email: the connection broke after it accepted DATA)
 *                        └── lease expired: the process died ──▶ unknown
 *   queued, retrying, unknown ──claim──▶ sending, or skipped if the reader no longer wants the email
 *   sending, retrying, unknown, accepted ──report──▶ bounced | complained (`shared/newsletter/feedback.ts`; final)
 *   refused, unknown ──owner sends them again──▶ queued
 *
 * `unknown` is sent once more after 10 minutes if the mailing's `on_unknown` is `repeat`. A reader therefore receives at
 * most one email plus one per unconfirmed attempt.
 *
 * One round is one transaction on one locked mailing (`mailing-round.ts`): store outcomes (`settle-recipients.ts`), mark expired leases as
 * unknown, apply brakes, reserve sending limits (`limits.ts`), claim due recipients (`claim.ts`). A round may run twice if
 * its commit is uncertain: outcomes are fenced by attempt number and lease, and claims that it made expire. Mailings take
 * turns. A process never claims more recipients than it has connections, so that few are unconfirmed if it dies.
 *
 * Brakes pause the mailing: more than 10 refusals among its first 200 emails, 10 policy refusals in a row, many bounces
 * for policy reasons, or no mail server for 10 minutes. A mailing whose post is no longer public is paused too.
 */
export function createMailingSender(deps: MailingDeps): WorkQueue<MailingKey> {
  const { mailings } = deps;
  if (!mailings) return { wake() {}, stop: async () => {} };
  const connections = createConnections(deps, mailings);
  const { mustWait, noteFailure, noteSuccess } = createBackoff(pauseMs);

  /**
   * Number of recipients that may be claimed. Unwritten outcomes count, because they would become unconfirmed if the
   * process died now. Outcomes of a mailing in backoff do not count, so that it does not delay other mailings.
   */
  const roomBeside = (underWay: ReadonlyMap<Copy, unknown>, unwritten: readonly SentRecipient[]) => {
    const held = underWay.size + unwritten.filter((one) => !mustWait(textOf(one))).length;
    return Math.max(0, Math.min(connections.free(), mailings.relays.length - held));
  };

  /**
   * Returns the next round: the first mailing with unwritten outcomes, otherwise the next ready mailing. A round that
   * stores outcomes also claims recipients if its mailing is the next ready one.
   */
  function next({
    ready,
    underWay,
    ended,
    isStopping,
  }: QueueState<MailingKey, Copy, SentRecipient>): Turn<MailingKey, SentRecipient> | null {
    const mayGoOn = (text: string) => isStopping || !mustWait(text);
    const written = ended.map(textOf).find(mayGoOn);
    const left = ended.filter((one) => textOf(one) !== written);
    const hasRoom = !isStopping && roomBeside(underWay, left) > 0;
    const first = hasRoom ? ready.entries().find(([text]) => mayGoOn(text)) : undefined;
    if (written === undefined) return first ? { outcomes: [], wanted: [first[1]] } : null;
    const outcomes = ended.filter((one) => textOf(one) === written);
    return { outcomes, wanted: first?.[0] === written ? [first[1]] : [] };
  }

  const queue = createQueue<MailingKey, Copy, SentRecipient>({
    logger: deps.logger,
    failure: 'sending round of a newsletter failed; retrying',
    restMs: (roundMs) => Math.min(roundMs, maxBatchWaitMs),
    textOf,
    next,
    async round({ outcomes, wanted }, { underWay, ended, isStopping }) {
      // While stopping, drop outcomes whose lease has ended, so that a failing write does not delay the exit further.
      const settled = outcomes.filter(({ leaseEndsAt }) => !isStopping || performance.now() < leaseEndsAt);
      const [mailing] = [...wanted, ...settled].map(keyOf);
      if (!mailing) return [];
      const leaseEndsAt = performance.now() + leaseSeconds * 1_000;
      const mailKey = await mailings.keyOf(mailing.site_id);
      const max = wanted.length > 0 ? roomBeside(underWay, ended) : 0;
      // Connections are used by outcomes that are not stored yet. Store those first, and claim in a later round.
      if (max === 0) queue.wake(wanted);
      const { claims, own, skipped, lost, moreInMs } = await runMailingRound(deps.database, {
        mailing,
        mailKey,
        settled,
        max,
        limits: mailings.limits,
        isRelayAway: connections.isAway(),
        countsTest: mailings.countsTest,
      });
      noteSuccess(textOf(mailing));
      for (const { outcome } of own) deps.onAttempt?.(outcome.kind);
      deps.onAttempt?.('unknown', lost);
      if (skipped > 0) queue.wake([mailing]);
      // Longer waits need no timer, because the sweep looks for due mailings twice a second.
      if (moreInMs !== null && moreInMs < 500) setTimeout(() => queue.wake([mailing]), moreInMs).unref();
      return claims.map((claim) => ({ ...claim, leaseEndsAt }));
    },
    attempt: async (claim) => ({ ...claim, outcome: await connections.send(claim) }),
    onFailure: ({ outcomes, wanted }) => new Set([...outcomes, ...wanted].map(textOf)).forEach(noteFailure),
  });
  return {
    wake: (keys) => queue.wake(keys.map(keyOf)),
    async stop() {
      await queue.stop();
      connections.close();
    },
  };
}

const keyOf = ({ site_id, mailing_id }: MailingKey): MailingKey => ({ site_id, mailing_id });

const textOf = ({ site_id, mailing_id }: MailingKey) => `${site_id}/${mailing_id}`;
