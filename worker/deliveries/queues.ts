import type { Kysely } from 'kysely';
import {
  cancelDeliveries,
  cancelRequested,
  type LockedSubscription,
  type SubscriptionKey,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import { type AttemptKind, requestedAttempts, scheduledAttempts } from './claim.ts';

/** Attempts of one kind, and how many of them one process makes. */
export interface AttemptQueue {
  kind: AttemptKind;
  /** About the most under way at once. */
  mostInFlight: number;
  /** About the most under way for one site. */
  mostPerSite: number;
  /** Most under way for one subscription. */
  mostPerSubscription: number;
  /** Most subscriptions that one round claims for. */
  subscriptionsPerRound: number;
  /** About the most that one round claims. */
  mostPerRound: number;
  /** How long to pause after a round that took so many milliseconds. */
  restMs(roundMs: number): number;
  /** Whether a subscription gets such attempts. */
  serves(subscription: LockedSubscription): boolean;
  /** Ends what waits for subscriptions that get none. */
  cancel(db: Kysely<WebhookTables>, keys: readonly SubscriptionKey[]): Promise<void>;
}

/**
 * First attempts and retries. A slow receiver holds up nobody else: a hundred that hang fit in at once, and of one site ten,
 * whose other receivers wait for them.
 */
export const scheduled: AttemptQueue = {
  kind: scheduledAttempts,
  mostInFlight: 1_000,
  mostPerSite: 100,
  mostPerSubscription: 10,
  subscriptionsPerRound: 50,
  mostPerRound: 1_000,
  restMs: () => 0,
  serves: ({ active }) => active,
  cancel: cancelDeliveries,
};

/**
 * What owners ask for: at most a hundred attempts a second in all, and a tenth of the time, so that thousands of them cost
 * others next to nothing, also where there is little time to go round. Outcomes wait for the next round, so a pause is
 * shorter than what a lease leaves for writing them. A subscription that is off gets them too.
 */
export const requested: AttemptQueue = {
  kind: requestedAttempts,
  mostInFlight: 100,
  mostPerSite: 30,
  mostPerSubscription: 10,
  subscriptionsPerRound: 10,
  mostPerRound: 10,
  restMs: (roundMs) => Math.min(1_000, Math.max(100, 9 * roundMs)),
  serves: () => true,
  cancel: cancelRequested,
};
