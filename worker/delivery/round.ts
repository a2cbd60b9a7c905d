import type { Kysely } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { type Claim, claimDue } from './claim.ts';
import type { Outcome } from './outcome.ts';
import { settle } from './settle.ts';
import { keyText, type SubscriptionKey } from './subscription-key.ts';
import { cancelDeliveries, lockSubscriptions } from './subscriptions.ts';

interface RoundInput {
  /** How attempts of this process ended since the last round. */
  outcomes: readonly Outcome[];
  /** Subscriptions to claim attempts for, if any are due. */
  wanted: readonly SubscriptionKey[];
  /** Most attempts to claim for each. */
  perSubscription: number;
  leaseMs: number;
}

/**
 * One transaction of the delivery loop: writes outcomes, counts failures, switches subscriptions off, and claims what
 * is due. Its subscriptions are locked first and in one order. It may be repeated when nobody knows whether it was
 * committed: outcomes are written once, and what it claimed is claimed again when the lease ends.
 */
export function runRound(database: Database, { outcomes, wanted, ...limits }: RoundInput): Promise<Claim[]> {
  return database.em.fork().transactional(async (em) => {
    const db: Kysely<unknown> = em.getKysely();
    const subscriptions = await lockSubscriptions(db, [...outcomes, ...wanted]);
    await settle(db, outcomes, subscriptions);
    const locked = wanted.map((key) => ({ key, subscription: subscriptions.get(keyText(key)) }));
    await cancelDeliveries(
      db,
      locked.filter(({ subscription }) => !subscription?.active).map(({ key }) => key),
    );
    return claimDue(
      db,
      locked.flatMap(({ subscription }) => (subscription?.active ? [subscription] : [])),
      limits,
    );
  });
}
