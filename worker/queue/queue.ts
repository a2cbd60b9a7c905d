import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Pause after a round that failed, such as while the database restarts. */
const failedMs = 250;

/** What a queue is at. Keys name what has turns: a subscription, a mailing. */
export interface QueueState<Key, Claim, Outcome> {
  /** What may have something due, by the text of its key; who waits longest comes first. */
  ready: ReadonlyMap<string, Key>;
  /** The attempts of this process. */
  underWay: ReadonlyMap<Claim, unknown>;
  /** How attempts ended that no round has written yet. */
  ended: readonly Outcome[];
  /** Then nothing more is claimed. */
  isStopping: boolean;
}

/** What one round is about. */
export interface Turn<Key, Outcome> {
  outcomes: readonly Outcome[];
  /** For what it claims. */
  wanted: readonly Key[];
}

interface QueueOptions<Key, Claim extends Key, Outcome extends Key> {
  logger: Logger;
  /** What the log says of a round that failed. */
  failure: string;
  textOf(key: Key): string;
  /** The next round; null while there is nothing to write or to claim. */
  next(state: QueueState<Key, Claim, Outcome>): Turn<Key, Outcome> | null;
  /**
   * One transaction: writes outcomes, then claims what is due, under a lease. It may be repeated when nobody knows whether it was committed:
   * an outcome is fenced by the number of its attempt and by its lease, and what was claimed is due again when that ends.
   */
  round(turn: Turn<Key, Outcome>, state: QueueState<Key, Claim, Outcome>): Promise<readonly Claim[]>;
  /** Never rejects. */
  attempt(claim: Claim): Promise<Outcome>;
  /** How long to pause after a round that took so many milliseconds. */
  restMs?(roundMs: number): number;
  /** Told of a round that failed, which is tried again. */
  onFailure?(turn: Turn<Key, Outcome>): void;
}

export interface WorkQueue<Key> {
  /** Says that these may have something due. */
  wake(keys: readonly Key[]): void;
  /** Claims nothing more, waits for attempts under way, and writes how they ended. */
  stop(): Promise<void>;
}

/**
 * Does what is due by claim, lease and settle: rounds, as long as there is anything to write or to claim. While one runs,
 * attempts that end and keys that wake gather for the next.
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

  /** Ends at once when the queue is stopped. */
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
      // A round that is running may still begin attempts, and the last attempts need one more round.
      while (running || underWay.size > 0) await Promise.all([running, ...underWay.values()]);
    },
  };
}

/** Which of many have to wait after a failure, so that they hold nobody else up: twice as long after each one in a row. */
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
