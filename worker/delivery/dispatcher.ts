import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { keyText, type SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';
import { type AttemptDeps, makeAttempt } from './attempt.ts';
import type { Claim } from './claim.ts';
import { type AttemptOutcome, givenBack } from './outcome.ts';
import type { AttemptQueue } from './queues.ts';
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
  onOutcome?: (outcome: AttemptOutcome) => void;
}

export interface Dispatcher {
  /** Says that these subscriptions may have something due. */
  wake(subscriptions: readonly SubscriptionKey[]): void;
  /** Claims nothing more, waits for attempts under way, and writes how they ended. */
  stop(): Promise<void>;
}

/**
 * Delivers what is due in a queue: rounds of one transaction each, as long as there is anything to write or to claim.
 * While a round runs, attempts that end and subscriptions that wake gather for the next one.
 */
export function createDispatcher(deps: DeliveryDeps, queue: AttemptQueue): Dispatcher {
  const leaseMs = leaseMsOf(deps.timeoutMs);
  const ready = new Map<string, SubscriptionKey>();
  const underWay = new Map<Promise<void>, Claim>();
  let ended: AttemptOutcome[] = [];
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  const hasWork = () => ended.length > 0 || nextReady(1).length > 0;

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
        const claims = await runRound(deps.database, { queue, outcomes, wanted, perSubscription, leaseMs });
        for (const claim of claims) start(claim);
        await rest(queue.restMs(performance.now() - startedAt));
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
    const room = Math.min(queue.mostPerRound, queue.mostInFlight - underWay.size);
    return Math.min(queue.mostPerSubscription, Math.max(1, Math.floor(room / Math.max(1, subscriptions))));
  }

  /** The next subscriptions of sites that may have more under way; the others stay where they are until something of theirs ends. */
  function nextReady(most: number): [text: string, key: SubscriptionKey][] {
    if (stopping.signal.aborted || underWay.size >= queue.mostInFlight) return [];
    const taken: ReturnType<typeof nextReady> = [];
    const bySite = new Map<string, number>();
    for (const { site_id } of underWay.values()) bySite.set(site_id, (bySite.get(site_id) ?? 0) + 1);
    for (const [text, key] of ready) {
      const atWork = bySite.get(key.site_id) ?? 0;
      if (atWork >= queue.mostPerSite) continue;
      bySite.set(key.site_id, atWork + queue.mostPerSubscription);
      taken.push([text, key]);
      if (taken.length === most) break;
    }
    return taken;
  }

  function takeReady(): SubscriptionKey[] {
    const taken = nextReady(queue.subscriptionsPerRound);
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
