import type { MailingKey } from '../../shared/db/mailing-counts.ts';
import { createBackoff, createQueue, type QueueState, type Turn, type WorkQueue } from '../queue/queue.ts';
import { type ClaimedCopy, leaseSeconds } from './claim.ts';
import { createConnections, type MailingDeps } from './connections.ts';
import { runMailingRound } from './round.ts';
import type { Settled } from './settle.ts';

interface Leased {
  /** As `performance.now()` tells time. */
  leaseEndsAt: number;
}

type Copy = ClaimedCopy & Leased;

type Sent = Settled & Leased;

/** Pauses of a mailing whose round failed. They are short against a lease, within which outcomes have to be written. */
const pauseMs = { first: 250, longest: 2_000 } as const;

/**
 * After a round, in which connections became free, it waits as long again, at most: most of a round's work is the same for one copy and for
 * as many as there are connections.
 */
const mostGatherMs = 10;

/**
 * Sends what is due of mailings: no more copies are claimed than there are connections, so that a process that dies leaves no more
 * in doubt. A round is about one mailing, and each has its turn.
 */
export function createMailingSender(deps: MailingDeps): WorkQueue<MailingKey> {
  const { mailings } = deps;
  if (!mailings) return { wake() {}, stop: async () => {} };
  const connections = createConnections(deps, mailings);
  const { mustWait, noteFailure, noteSuccess } = createBackoff(pauseMs);

  /**
   * How many copies may be claimed: what ended and is not written yet would be in doubt, too, if the process died now. What can't
   * be written for the moment holds up nobody.
   */
  const roomBeside = (underWay: ReadonlyMap<Copy, unknown>, unwritten: readonly Sent[]) => {
    const held = underWay.size + unwritten.filter((one) => !mustWait(textOf(one))).length;
    return Math.max(0, Math.min(connections.free(), mailings.relays.length - held));
  };

  /** What ended is written first; its mailing claims more only if it is its turn. */
  function next({
    ready,
    underWay,
    ended,
    isStopping,
  }: QueueState<MailingKey, Copy, Sent>): Turn<MailingKey, Sent> | null {
    const mayGoOn = (text: string) => isStopping || !mustWait(text);
    const written = ended.map(textOf).find(mayGoOn);
    const left = ended.filter((one) => textOf(one) !== written);
    const hasRoom = !isStopping && roomBeside(underWay, left) > 0;
    const first = hasRoom ? ready.entries().find(([text]) => mayGoOn(text)) : undefined;
    if (written === undefined) return first ? { outcomes: [], wanted: [first[1]] } : null;
    const outcomes = ended.filter((one) => textOf(one) === written);
    return { outcomes, wanted: first?.[0] === written ? [first[1]] : [] };
  }

  const queue = createQueue<MailingKey, Copy, Sent>({
    logger: deps.logger,
    failure: 'sending round of a newsletter failed; retrying',
    restMs: (roundMs) => Math.min(roundMs, mostGatherMs),
    textOf,
    next,
    async round({ outcomes, wanted }, { underWay, ended, isStopping }) {
      // What can't be written holds the end up for no longer than its lease.
      const settled = outcomes.filter(({ leaseEndsAt }) => !isStopping || performance.now() < leaseEndsAt);
      const [mailing] = [...wanted, ...settled].map(keyOf);
      if (!mailing) return [];
      const leaseEndsAt = performance.now() + leaseSeconds * 1_000;
      const mailKey = await mailings.keyOf(mailing.site_id);
      const most = wanted.length > 0 ? roomBeside(underWay, ended) : 0;
      // What ended meanwhile is written first.
      if (most === 0) queue.wake(wanted);
      const { claims, own, skipped, lost, moreInMs } = await runMailingRound(deps.database, {
        mailing,
        mailKey,
        settled,
        most,
        limits: mailings.limits,
        isRelayAway: connections.isAway(),
        countsTest: mailings.countsTest,
      });
      noteSuccess(textOf(mailing));
      for (const { outcome } of own) deps.onAttempt?.(outcome.kind);
      deps.onAttempt?.('unknown', lost);
      if (skipped > 0) queue.wake([mailing]);
      // What is due is looked for twice a second anyway.
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
