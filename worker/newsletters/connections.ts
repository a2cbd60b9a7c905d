import type { Logger } from 'pino';
import type { Database } from '../../shared/db/config.ts';
import { type ClaimedRecipient, leaseSeconds } from './claim.ts';
import type { MailLimit } from './limits.ts';
import { createMessages, type MessageSettings } from './messages.ts';
import { type Outcome, type Relay, withoutReply } from './relay.ts';

export interface Mailings extends MessageSettings {
  /** Connections to the mail server. */
  relays: readonly Relay[];
  limits: readonly MailLimit[];
  /** Time without a mail server after which a mailing pauses, in milliseconds. */
  maxOutageMs: number;
  /** True if test sales open content (`countsTestSales`). */
  countsTest: boolean;
}

export interface MailingDeps {
  database: Database;
  logger: Logger;
  /** Null if no mail server is configured. No mailing is sent then. */
  mailings: Mailings | null;
  /** Receives the outcome of each attempt once it is stored. */
  onAttempt?: (outcome: Outcome['kind'], attempts?: number) => void;
}

/** Timeout of one email, in milliseconds. The rest of its lease remains for storing the outcome. */
export const attemptMs = (leaseSeconds - 10) * 1_000;

/** Pause after the mail server was unreachable, in milliseconds. */
const awayMs = 5_000;

/** Creates the pool of connections to the mail server. Each connection sends one email at a time. */
export function createConnections({ database, logger }: MailingDeps, mailings: Mailings) {
  const free = [...mailings.relays];
  const messages = createMessages(database, mailings);
  /** Start of the current outage of the mail server, as `performance.now()`; null without an outage. */
  let unavailableSince: number | null = null;
  let restsUntil = 0;

  function note({ kind }: Outcome) {
    if (kind === 'away') {
      unavailableSince ??= performance.now();
      restsUntil = performance.now() + awayMs;
    } else unavailableSince = null;
  }

  async function sendBy(relay: Relay, claim: ClaimedRecipient & { leaseEndsAt: number }): Promise<Outcome> {
    const mail = await messages.make(claim);
    // After a stall of this process, another one may own the recipient.
    if (!mail || performance.now() > claim.leaseEndsAt - attemptMs) return untried;
    const outcome = await relay.send(mail.envelope, mail.message);
    note(outcome);
    return outcome;
  }

  return {
    /** Number of recipients that may be claimed now. */
    free: () => (performance.now() < restsUntil ? 0 : free.length),
    isAway: () => unavailableSince !== null && performance.now() - unavailableSince >= mailings.maxOutageMs,
    /** Sends an email to a claimed recipient. Never rejects. */
    async send(claim: ClaimedRecipient & { leaseEndsAt: number }): Promise<Outcome> {
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
