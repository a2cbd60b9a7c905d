import type { Logger } from 'pino';
import type { Database } from '../../shared/db/config.ts';
import { type ClaimedCopy, leaseSeconds } from './claim.ts';
import type { MailLimit } from './limits.ts';
import { createMessages, type MessageSettings } from './messages.ts';
import { type Outcome, type Relay, withoutReply } from './relay.ts';

export interface Mailings extends MessageSettings {
  /** One a connection. */
  relays: readonly Relay[];
  limits: readonly MailLimit[];
  /** How long there may be no relay before a mailing stops. */
  longestAwayMs: number;
  /** True if test sales open content (`countsTestSales`). */
  countsTest: boolean;
}

export interface MailingDeps {
  database: Database;
  logger: Logger;
  /** Null where no relay is configured: then nothing is sent. */
  mailings: Mailings | null;
  /** Told how attempts ended, once that is written. */
  onAttempt?: (outcome: Outcome['kind'], attempts?: number) => void;
}

/** Longest that one message takes, in milliseconds: what is left of its lease is for writing how it ended. */
export const attemptMs = (leaseSeconds - 10) * 1_000;

/** Pause after there was no relay. */
const awayMs = 5_000;

/** The connections to the relay: each sends one copy at a time. */
export function createConnections({ database, logger }: MailingDeps, mailings: Mailings) {
  const free = [...mailings.relays];
  const messages = createMessages(database, mailings);
  /** Since when there has been no relay, as `performance.now()` tells time. */
  let awaySince: number | null = null;
  let restsUntil = 0;

  function note({ kind }: Outcome) {
    if (kind === 'away') {
      awaySince ??= performance.now();
      restsUntil = performance.now() + awayMs;
    } else awaySince = null;
  }

  async function sendBy(relay: Relay, claim: ClaimedCopy & { leaseEndsAt: number }): Promise<Outcome> {
    const mail = await messages.make(claim);
    // A process that stood still may not own the copy any more.
    if (!mail || performance.now() > claim.leaseEndsAt - attemptMs) return untried;
    const outcome = await relay.send(mail.envelope, mail.message);
    note(outcome);
    return outcome;
  }

  return {
    /** How many copies may be claimed now. */
    free: () => (performance.now() < restsUntil ? 0 : free.length),
    isAway: () => awaySince !== null && performance.now() - awaySince >= mailings.longestAwayMs,
    /** Never rejects. */
    async send(claim: ClaimedCopy & { leaseEndsAt: number }): Promise<Outcome> {
      const relay = free.pop();
      if (!relay) return untried;
      const outcome = await sendBy(relay, claim).catch((err: unknown) => {
        logger.error({ err, recipient: claim.id }, 'composing a newsletter email failed; retrying later');
        return untried;
      });
      free.push(relay);
      return outcome;
    },
    close() {
      for (const relay of mailings.relays) relay.close();
    },
  };
}

const untried = withoutReply('untried');
