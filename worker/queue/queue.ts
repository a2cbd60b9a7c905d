import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Pause after a failed round, in milliseconds, for example while the database restarts. */
const failedMs = 250;

/** State of a queue. Keys identify subscriptions or mailings, which take turns. */
export interface QueueState<Key, Claim, Outcome> {
  /** Keys that may have due work, by their text. The key that has waited longest comes first. */
  ready: ReadonlyMap<string, Key>;
  /** Attempts of this process that are in flight. */
  underWay: ReadonlyMap<Claim, unknown>;
  /** Outcomes of attempts that no round has stored yet. */
  ended: readonly Outcome[];
  /** True while the queue stops: nothing more is claimed. */
  isStopping: boolean;
}

/** Work of one round of the queue. */
export interface Turn<Key, Outcome> {
  outcomes: readonly Outcome[];
  /** Keys to claim due work for. */
  wanted: readonly Key[];
}

interface QueueOptions<Key, Claim extends Key, Outcome extends Key> {
  logger: Logger;
  /** Log message for a failed round. */
  failure: string;
  textOf(key: Key): string;
  /** Returns the next round; null if there is nothing to store or claim. */
  next(state: QueueState<Key, Claim, Outcome>): Turn<Key, Outcome> | null;
  /**
   * Runs one transaction that stores outcomes and then claims due work under a lease. It may be repeated if its commit
   * is uncertain. An outcome is fenced by attempt number and lease, and claimed work is due again when its lease ends.
   */
  round(turn: Turn<Key, Outcome>, state: QueueState<Key, Claim, Outcome>): Promise<readonly Claim[]>;
  /** Makes one attempt. Never rejects. */
  attempt(claim: Claim): Promise<Outcome>;
  /** Returns the pause after a round, in milliseconds, given its duration. */
  restMs?(roundMs: number): number;
  /** Receives a failed round, which is retried. */
  onFailure?(turn: Turn<Key, Outcome>): void;
}

export interface WorkQueue<Key> {
  /** Adds keys that may have due work. */
  wake(keys: readonly Key[]): void;
  /** Claims nothing more, waits for attempts in flight, and stores their outcomes. */
  stop(): Promise<void>;
}

/**
 * Queue that processes due work by claim, lease and settle.
 *
 * The queue is idle until `wake` adds keys or an attempt ends. Then it runs rounds, one at a time, while there are outcomes
 * to store or ready keys. Attempts that a round claims run concurrently with later rounds. When one ends, its outcome and its
 * key wait for the next round. After a failed round, its outcomes and keys are put back, and the next round starts after
 * `failedMs`. While stopping, rounds only store outcomes. The queue is stopped when no attempt is in flight and every outcome
 * is stored.
 */
export function createQueue<Key, Claim extends Key, Outcome extends Key>(
  work: QueueOptions<Key, Claim, Outcome>,
): WorkQueue<Key> {
  const ready = new Map<string, Key>();
  const underWay = new Map<Claim, Promise<void>>();
  let ended: Outcome[] = [];
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  const state = () => ({ ready, underWay, ended, isStopping: stopping.signal.aborted });
  const next = () => work.next(state());

  function run() {
    running ??= loop().finally(() => {
      running = null;
      if (next()) run();
    });
  }

  async function loop() {
    for (let turn = next(); turn; turn = next()) {
      const written = new Set(turn.outcomes);
      ended = ended.filter((outcome) => !written.has(outcome));
      for (const key of turn.wanted) ready.delete(work.textOf(key));
      try {
        const startedAt = performance.now();
        for (const claim of await work.round(turn, state())) start(claim);
        await rest(work.restMs?.(performance.now() - startedAt) ?? 0);
      } catch (err) {
        work.logger.warn({ err }, work.failure);
        work.onFailure?.(turn);
        ended = [...turn.outcomes, ...ended];
        wake(turn.wanted);
        await delay(failedMs);
      }
    }
  }

  /** Pauses; a stop of the queue ends the pause. */
  async function rest(ms: number) {
    if (ms > 0) await delay(ms, undefined, { signal: stopping.signal }).catch(() => {});
  }

  function start(claim: Claim) {
    const attempt = work.attempt(claim).then((outcome) => {
      ended.push(outcome);
      underWay.delete(claim);
      wake([claim]);
    });
    underWay.set(claim, attempt);
  }

  function wake(keys: readonly Key[]) {
    for (const key of keys) ready.set(work.textOf(key), key);
    run();
  }

  return {
    wake,
    async stop() {
      stopping.abort();
      run();
      // A running round may still start attempts, and the last attempts need one more round.
      while (running || underWay.size > 0) await Promise.all([running, ...underWay.values()]);
    },
  };
}

/**
 * Tracks which keys must wait after failures, so that they do not delay others. The wait doubles with each failure in a
 * row, up to a maximum.
 */
export function createBackoff(waitMs: { first: number; longest: number }) {
  const failed = new LRUCache<string, { ms: number; until: number }>({ max: 10_000 });
  return {
    mustWait: (key: string): boolean => performance.now() < (failed.get(key)?.until ?? 0),
    noteFailure(key: string) {
      const ms = Math.min(waitMs.longest, Math.max(waitMs.first, 2 * (failed.get(key)?.ms ?? 0)));
      failed.set(key, { ms, until: performance.now() + ms });
    },
    noteSuccess: (key: string) => void failed.delete(key),
  };
}
