import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import {
  keyText,
  lockSubscriptions,
  type SubscriptionKey,
  type WebhookTables,
} from '../../shared/db/webhook-subscriptions.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import { deliver, type WebhookSender } from '../../shared/webhooks/index.ts';
import { createQueue, type QueueState, type WorkQueue } from '../queue/queue.ts';
import { type Claim, type ClaimLimits, claimAttempts } from './claim.ts';
import { type AttemptOutcome, givenBack, outcomeOf } from './outcome.ts';
import type { AttemptQueue } from './queues.ts';
import { settle } from './settle-deliveries.ts';

/**
 * Difference between the lease and the timeout of an attempt, in milliseconds: time to start it and to store its
 * outcome.
 */
const leaseMarginMs = 3_000;

/** Returns the lease of an attempt with this timeout, in milliseconds. */
export const leaseMsOf = (timeoutMs: number) => timeoutMs + leaseMarginMs;

export interface DeliveryDeps {
  database: MikroORM;
  logger: Logger;
  secrets: SecretBox;
  sender: WebhookSender;
  /** Delays before the second and each later attempt, in seconds. */
  retrySeconds: readonly number[];
  /** Maximum duration of an attempt by `sender`, in milliseconds. */
  timeoutMs: number;
  /** Receives the outcome of each attempt. */
  onOutcome?: (outcome: AttemptOutcome) => void;
}

type State = QueueState<SubscriptionKey, Claim, AttemptOutcome>;

/**
 * Dispatcher of webhook deliveries, one per queue: scheduled attempts, and attempts that owners requested (`queues.ts`).
 *
 * A delivery moves through these states:
 *
 *   pending, retrying ──claim──▶ attempt in flight: lease set, `attempt_count` raised, status unchanged
 *     ├──▶ delivered  (status 2xx)
 *     ├──▶ retrying   (failure; due again after the next delay of `retrySeconds`)
 *     ├──▶ failed     (failure of the last attempt)
 *     ├──▶ unchanged  (given back: this process stalled, so the attempt does not count; due now)
 *     └── lease expired: the process died ──▶ due again; after the last attempt failed (`sweep.ts`)
 *   pending, retrying ──subscription deactivated──▶ cancelled
 *
 * An owner can request an attempt in any state, except while one is in flight. The delivery becomes pending, unless it is
 * delivered: then it stays so. A failure leaves the delivery to its scheduled attempts, if any remain.
 *
 * One round is one transaction (`runRound`): lock the subscriptions, store outcomes, count failures, deactivate
 * subscriptions with 10 failures in a row, claim due attempts. Rounds continue while there are outcomes to store or woken
 * subscriptions. Subscriptions are woken by the fan-out, by the sweep twice a second, and by their own finished attempts.
 */
export function createDispatcher(deps: DeliveryDeps, queue: AttemptQueue): WorkQueue<SubscriptionKey> {
  const leaseMs = leaseMsOf(deps.timeoutMs);
  return createQueue<SubscriptionKey, Claim, AttemptOutcome>({
    logger: deps.logger,
    failure: 'webhook delivery round failed; retrying',
    textOf: keyText,
    next(state) {
      const wanted = nextReady(state, queue);
      return state.ended.length > 0 || wanted.length > 0 ? { outcomes: state.ended, wanted } : null;
    },
    round: ({ outcomes, wanted }, { underWay }) =>
      runRound(deps.database, {
        queue,
        outcomes,
        wanted,
        perSubscription: roomForEach(wanted.length, underWay.size, queue),
        leaseMs,
      }),
    async attempt(claim) {
      // The lease can expire before the attempt only if this process stalled. Another worker may own the delivery then.
      const late = performance.now() >= claim.leaseEndsAt;
      const outcome = late ? givenBack(claim) : await makeAttempt(deps, claim);
      deps.onOutcome?.(outcome);
      return outcome;
    },
    restMs: queue.restMs,
  });
}

/** Runs one claimed attempt. Never rejects. */
async function makeAttempt(deps: DeliveryDeps, claim: Claim): Promise<AttemptOutcome> {
  const result = await deliver(deps, { ...claim, sentAt: new Date() }).catch((error) => {
    deps.logger.error(
      { err: error, delivery: claim.id },
      'webhook attempt failed before it was sent; retried like any failed attempt',
    );
    return null;
  });
  if (result && !result.ok && result.error === 'secret_unreadable')
    deps.logger.error(
      { delivery: claim.id },
      'cannot decrypt the secret of a webhook, so its delivery failed; check that SECRET_KEY has not changed',
    );
  return outcomeOf(claim, result, deps.retrySeconds);
}

function roomForEach(subscriptions: number, underWay: number, queue: AttemptQueue): number {
  const room = Math.min(queue.maxPerRound, queue.maxInFlight - underWay);
  return Math.min(queue.maxPerSubscription, Math.max(1, Math.floor(room / Math.max(1, subscriptions))));
}

/**
 * Returns the subscriptions to claim for, of sites below their limit. The others stay ready for a later round.
 *
 * After a stall, a subscription can have an attempt of this process with an expired lease. It is skipped, because the
 * database would let this process claim the same attempt again before the first one has ended.
 */
function nextReady({ ready, underWay, isStopping }: State, queue: AttemptQueue): SubscriptionKey[] {
  if (isStopping || underWay.size >= queue.maxInFlight) return [];
  const now = performance.now();
  const overdue = new Set<string>();
  const bySite = new Map<string, number>();
  for (const claim of underWay.keys()) {
    if (now >= claim.leaseEndsAt) overdue.add(keyText(claim));
    bySite.set(claim.site_id, (bySite.get(claim.site_id) ?? 0) + 1);
  }
  const taken: SubscriptionKey[] = [];
  for (const [text, { site_id, subscription_id }] of ready) {
    const atWork = bySite.get(site_id) ?? 0;
    if (atWork >= queue.maxPerSite || overdue.has(text)) continue;
    bySite.set(site_id, atWork + queue.maxPerSubscription);
    taken.push({ site_id, subscription_id });
    if (taken.length === queue.subscriptionsPerRound) break;
  }
  return taken;
}

interface RoundInput extends ClaimLimits {
  queue: AttemptQueue;
  /** Outcomes of this process's attempts since the last round. */
  outcomes: readonly AttemptOutcome[];
  /** Subscriptions to claim due attempts for. */
  wanted: readonly SubscriptionKey[];
}

/**
 * Runs one transaction: stores outcomes, counts failures, deactivates subscriptions, and claims due attempts.
 * Subscriptions are locked first, in a fixed order. The caller may repeat it if the commit is uncertain. Outcomes are
 * stored only once, and attempts that it claimed are claimed again when their lease ends.
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
