import type { Kysely } from 'kysely';
import {
  cancelDeliveries,
  cancelRequested,
  type LockedSubscription,
  type SubscriptionKey,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import { type AttemptKind, requestedAttempts, scheduledAttempts } from './claim.ts';

/** Kind of attempts, with the limits of one process for it. */
export interface AttemptQueue {
  kind: AttemptKind;
  /** Approximate maximum of attempts in flight. */
  maxInFlight: number;
  /** Approximate maximum of attempts in flight for one site. */
  maxPerSite: number;
  /** Maximum of attempts in flight for one subscription. */
  maxPerSubscription: number;
  /** Maximum number of subscriptions per round. */
  subscriptionsPerRound: number;
  /** Approximate maximum of attempts that one round claims. */
  maxPerRound: number;
  /** Returns the pause after a round, in milliseconds, given its duration. */
  restMs(roundMs: number): number;
  /** True if this queue makes attempts for the subscription. */
  serves(subscription: LockedSubscription): boolean;
  /** Cancels waiting attempts of subscriptions that do not receive them. */
  cancel(db: Kysely<WebhookTables>, keys: readonly SubscriptionKey[]): Promise<void>;
}

/**
 * First attempts and retries. The limits keep slow receivers from blocking others: 100 hanging receivers fit in, 10 of
 * them of one site. Further receivers of that site wait.
 */
export const scheduled: AttemptQueue = {
  kind: scheduledAttempts,
  maxInFlight: 1_000,
  maxPerSite: 100,
  maxPerSubscription: 10,
  subscriptionsPerRound: 50,
  maxPerRound: 1_000,
  restMs: () => 0,
  serves: ({ active }) => active,
  cancel: cancelDeliveries,
};

/**
 * Attempts that owners requested: at most 100 per second. Their rounds take at most a tenth of the time, unless a round
 * lasts longer than 0.1 seconds. Even thousands of them hardly slow down other deliveries. A pause is shorter than the
 * lease margin, because outcomes wait for the next round. Inactive subscriptions receive them too.
 */
export const requested: AttemptQueue = {
  kind: requestedAttempts,
  maxInFlight: 100,
  maxPerSite: 30,
  maxPerSubscription: 10,
  subscriptionsPerRound: 10,
  maxPerRound: 10,
  restMs: (roundMs) => Math.min(1_000, Math.max(100, 9 * roundMs)),
  serves: () => true,
  cancel: cancelRequested,
};
