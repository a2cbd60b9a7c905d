import type { MikroORM } from '@mikro-orm/postgresql';
import {
  keyText,
  lockSubscriptions,
  type SubscriptionKey,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import { type Claim, type ClaimLimits, claimAttempts } from './claim.ts';
import type { AttemptOutcome } from './outcome.ts';
import type { AttemptQueue } from './queues.ts';
import { settle } from './settle.ts';

interface RoundInput extends ClaimLimits {
  queue: AttemptQueue;
  /** How attempts of this process ended since the last round. */
  outcomes: readonly AttemptOutcome[];
  /** Subscriptions to claim attempts for, if any are due. */
  wanted: readonly SubscriptionKey[];
}

/**
 * One transaction of the delivery loop: writes outcomes, counts failures, switches subscriptions off, and claims what
 * is due. Its subscriptions are locked first and in one order. It may be repeated when nobody knows whether it was
 * committed: outcomes are written once, and what it claimed is claimed again when the lease ends.
 */
export function runRound(
  database: MikroORM,
  { queue, outcomes, wanted, ...limits }: RoundInput,
): Promise<Claim[]> {
  return database.em.fork().transactional(async (em) => {
    const db = em.getKysely<WebhookTables>();
    const locked = await lockSubscriptions(db, [...outcomes, ...wanted]);
    const subscriptions = await settle(db, outcomes, locked);
    const served = new Map(
      subscriptions.filter(queue.serves).map((subscription) => [keyText(subscription), subscription]),
    );
    await queue.cancel(
      db,
      wanted.filter((key) => !served.has(keyText(key))),
    );
    const from = wanted.flatMap((key) => served.get(keyText(key)) ?? []);
    return claimAttempts(db, from, { ...limits, kind: queue.kind });
  });
}
