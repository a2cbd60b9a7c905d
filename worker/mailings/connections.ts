import type { Logger } from 'pino';
import type { Database } from '../../shared/db/config.ts';
import { type ClaimedCopy, leaseSeconds } from './claim.ts';
import { createMessages, type MessageSettings } from './messages.ts';
import type { Outcome, Relay } from './relay.ts';
import type { Settled } from './settle.ts';

export interface MailingDeps {
  database: Database;
  logger: Logger;
  /** One connection to the relay each, and how long there may be none before a mailing stops; null where none is configured: then nothing is sent. */
  mailings: (MessageSettings & { relays: readonly Relay[]; longestAwayMs: number }) | null;
}

/** Longest that one message takes, in milliseconds: what is left of its lease is for writing how it ended. */
export const attemptMs = (leaseSeconds - 10) * 1_000;

/** Pause after there was no relay. */
const awayMs = 5_000;

/** The connections to the relay: each sends one copy at a time. `onEnd` is told of each that ended, and with what, where it was tried. */
export function createConnections(
  { database, logger, mailings }: MailingDeps,
  onEnd: (settled: Settled | null) => void,
) {
  const free = [...(mailings?.relays ?? [])];
  const messages = mailings && createMessages(database, mailings);
  const underWay = new Set<Promise<void>>();
  /** Since when there has been no relay, as `performance.now()` tells time. */
  let awaySince: number | null = null;
  let restsUntil = 0;

  function note({ kind }: Outcome) {
    if (kind === 'away') {
      awaySince ??= performance.now();
      restsUntil = performance.now() + awayMs;
    } else awaySince = null;
  }

  /** Null for what was not tried: its lease runs out. */
  async function send(relay: Relay, claim: ClaimedCopy, leaseEndsAt: number): Promise<Outcome | null> {
    try {
      const mail = await messages?.make(claim);
      // A process that stood still may not own the copy any more.
      if (!mail || performance.now() > leaseEndsAt - attemptMs) return null;
      const outcome = await relay.send(mail.envelope, mail.message);
      note(outcome);
      return outcome;
    } catch (error) {
      logger.error({ err: error, recipient: claim.id }, 'a copy of a mailing could not be made');
      return null;
    }
  }

  return {
    /** How many copies may be claimed now. */
    free: () => (performance.now() < restsUntil ? 0 : free.length),
    hasFree: () => free.length > 0,
    isAway: () => awaySince !== null && performance.now() - awaySince >= (mailings?.longestAwayMs ?? 0),
    start(claim: ClaimedCopy, leaseEndsAt: number) {
      const relay = free.pop();
      if (!relay) throw new Error('more was claimed than there are connections');
      const attempt = send(relay, claim, leaseEndsAt).then((outcome) => {
        free.push(relay);
        onEnd(outcome && { ...claim, outcome });
      });
      underWay.add(attempt);
      attempt.finally(() => underWay.delete(attempt));
    },
    async end() {
      await Promise.all(underWay);
    },
    close() {
      for (const relay of mailings?.relays ?? []) relay.close();
    },
  };
}
