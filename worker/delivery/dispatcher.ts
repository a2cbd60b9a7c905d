import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { keyText, type SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';
import { type AttemptDeps, makeAttempt } from './attempt.ts';
import type { Claim } from './claim.ts';
import type { Lane } from './lanes.ts';
import { givenBack, type Outcome } from './outcome.ts';
import { runRound } from './round.ts';

/** An attempt's lease outlasts its time-out by this: time to start it, and to write how it ended. */
const leaseMarginMs = 3_000;

/** How long an attempt that may take so long belongs to its worker. */
export const leaseMsOf = (timeoutMs: number) => timeoutMs + leaseMarginMs;

/** Pause after a failed round, such as while the database restarts. */
const pauseMs = 250;

export interface DeliveryDeps extends AttemptDeps {
  database: MikroORM;
  /** Longest that `sender` takes for an attempt. */
  timeoutMs: number;
  /** Told of each attempt that ended. */
  onOutcome?: (outcome: Outcome) => void;
}

export interface Dispatcher {
  /** Says that these subscriptions may have something due. */
  wake(subscriptions: readonly SubscriptionKey[]): void;
  /** Claims nothing more, waits for attempts under way, and writes how they ended. */
  stop(): Promise<void>;
}

/**
 * Delivers what is due in a lane: rounds of one transaction each, as long as there is anything to write or to claim.
 * While a round runs, attempts that end and subscriptions that wake gather for the next one.
 */
export function createDispatcher(deps: DeliveryDeps, lane: Lane): Dispatcher {
  const leaseMs = leaseMsOf(deps.timeoutMs);
  const ready = new Map<string, SubscriptionKey>();
  const underWay = new Map<Promise<void>, Claim>();
  let ended: Outcome[] = [];
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  const hasWork = () =>
    ended.length > 0 || (!stopping.signal.aborted && ready.size > 0 && underWay.size < lane.mostInFlight);

  function run() {
    running ??= loop().finally(() => {
      running = null;
      if (hasWork()) run();
    });
  }

  async function loop() {
    while (hasWork()) {
      const outcomes = ended;
      const wanted = takeReady();
      ended = [];
      try {
        const startedAt = performance.now();
        const perSubscription = roomForEach(wanted.length);
        const claims = await runRound(deps.database, { lane, outcomes, wanted, perSubscription, leaseMs });
        for (const claim of claims) start(claim);
        await rest(lane.restMs(performance.now() - startedAt));
      } catch (error) {
        deps.logger.warn({ err: error }, 'a delivery round failed and is tried again');
        ended = [...outcomes, ...ended];
        wake(wanted);
        await delay(pauseMs);
      }
    }
  }

  /** Ends at once when the dispatcher is stopped. */
  async function rest(ms: number) {
    if (ms > 0) await delay(ms, undefined, { signal: stopping.signal }).catch(() => {});
  }

  function roomForEach(subscriptions: number): number {
    const room = Math.min(lane.mostPerRound, lane.mostInFlight - underWay.size);
    return Math.min(lane.mostPerSubscription, Math.max(1, Math.floor(room / Math.max(1, subscriptions))));
  }

  function takeReady(): SubscriptionKey[] {
    if (stopping.signal.aborted || underWay.size >= lane.mostInFlight) return [];
    const taken = [...ready].slice(0, lane.subscriptionsPerRound);
    for (const [text] of taken) ready.delete(text);
    const overdue = overdueSubscriptions();
    return taken.flatMap(([text, key]) => (overdue.has(text) ? [] : [key]));
  }

  /**
   * Those with an attempt of this process whose lease is over, as after a standstill. It is about to end and wakes its
   * subscription then; until it does, the database would let this process begin the same attempt again.
   */
  function overdueSubscriptions(): Set<string> {
    const now = performance.now();
    const overdue = underWay.values().filter(({ leaseEndsAt }) => now >= leaseEndsAt);
    return new Set(overdue.map(keyText));
  }

  function start(claim: Claim) {
    // Only a process that stood still gets here so late: another worker may have the delivery by now.
    const late = performance.now() >= claim.leaseEndsAt;
    const outcome = late ? Promise.resolve(givenBack(claim)) : makeAttempt(deps, claim);
    const attempt = outcome.then((outcome) => {
      ended.push(outcome);
      deps.onOutcome?.(outcome);
      underWay.delete(attempt);
      wake([claim]);
    });
    underWay.set(attempt, claim);
  }

  function wake(subscriptions: readonly SubscriptionKey[]) {
    for (const { site_id, subscription_id } of subscriptions) {
      const key = { site_id, subscription_id };
      ready.set(keyText(key), key);
    }
    run();
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      // A round that is running may still begin attempts, and the last attempts need one more round.
      while (running || underWay.size > 0) await Promise.all([running, ...underWay.keys()]);
    },
  };
}
