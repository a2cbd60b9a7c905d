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
import { settle } from './settle.ts';

/** An attempt's lease outlasts its time-out by this: time to start it, and to write how it ended. */
const leaseMarginMs = 3_000;

/** How long an attempt that may take so long belongs to its worker. */
export const leaseMsOf = (timeoutMs: number) => timeoutMs + leaseMarginMs;

export interface DeliveryDeps {
  database: MikroORM;
  logger: Logger;
  secrets: SecretBox;
  sender: WebhookSender;
  /** Delays before the second and each further attempt, in seconds. */
  retrySeconds: readonly number[];
  /** Longest that `sender` takes for an attempt. */
  timeoutMs: number;
  /** Told of each attempt that ended. */
  onOutcome?: (outcome: AttemptOutcome) => void;
}

type State = QueueState<SubscriptionKey, Claim, AttemptOutcome>;

/** Delivers what is due in a queue. */
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
      // Only a process that stood still gets here so late: another worker may have the delivery by now.
      const late = performance.now() >= claim.leaseEndsAt;
      const outcome = late ? givenBack(claim) : await makeAttempt(deps, claim);
      deps.onOutcome?.(outcome);
      return outcome;
    },
    restMs: queue.restMs,
  });
}

/** Makes one claimed attempt. Never rejects. */
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
  const room = Math.min(queue.mostPerRound, queue.mostInFlight - underWay);
  return Math.min(queue.mostPerSubscription, Math.max(1, Math.floor(room / Math.max(1, subscriptions))));
}

/**
 * The next subscriptions of sites that may have more under way; the others stay where they are until something of theirs ends. So
 * do those with an attempt of this process whose lease is over, as after a standstill: it is about to end, and until it
 * does, the database would let this process begin the same attempt again.
 */
function nextReady({ ready, underWay, isStopping }: State, queue: AttemptQueue): SubscriptionKey[] {
  if (isStopping || underWay.size >= queue.mostInFlight) return [];
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
    if (atWork >= queue.mostPerSite || overdue.has(text)) continue;
    bySite.set(site_id, atWork + queue.mostPerSubscription);
    taken.push({ site_id, subscription_id });
    if (taken.length === queue.subscriptionsPerRound) break;
  }
  return taken;
}

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
