import type { Decision } from '../kernel/rate-limiter.ts';
import { type Bucket, type BucketDecision, peekTokens, returnToken, takeToken } from './gcra.ts';

/** How a tier decides: pure functions of what it remembers of one subject. Moments are milliseconds since the epoch. */
export interface Rule<State> {
  /** Of a subject of whom nothing is remembered. */
  empty: State;
  take(state: State, nowMs: number): { decision: Decision; state: State };
  peek(state: State, nowMs: number): Decision;
  refund(state: State): State;
  /** Whether a state says no more than `empty`. */
  isOver(state: State, nowMs: number): boolean;
}

/** A token bucket; its state is when it will be full again, as `gcra.ts` counts. */
export function bucketRule(bucket: Bucket): Rule<number> {
  const told = ({ allowed, remaining, fullAtMs, retryAfterMs }: BucketDecision): Decision => ({
    allowed,
    limit: bucket.burst,
    remaining,
    resetAt: seconds(fullAtMs),
    retryAfter: seconds(retryAfterMs),
  });
  return {
    empty: 0,
    take(fullAt, nowMs) {
      const decision = takeToken(bucket, fullAt, nowMs);
      return { decision: told(decision), state: decision.fullAt };
    },
    peek: (fullAt, nowMs) => told(peekTokens(bucket, fullAt, nowMs)),
    refund: returnToken,
    isOver: (fullAt, nowMs) => fullAt <= nowMs * bucket.perMinute,
  };
}

export const windowMs = 60_000;

/** Never more than `most` in any 60 seconds, however they are spread; its state is when those were, the latest last. */
export function windowRule(most: number): Rule<readonly number[]> {
  const recentOf = (times: readonly number[], nowMs: number) =>
    times.filter((time) => time + windowMs > nowMs);
  const told = (allowed: boolean, times: readonly number[], nowMs: number): Decision => ({
    allowed,
    limit: most,
    remaining: most - times.length,
    resetAt: times.length > 0 ? seconds((times.at(-1) ?? nowMs) + windowMs) : seconds(nowMs),
    retryAfter: allowed ? 0 : seconds((times[0] ?? nowMs) + windowMs - nowMs),
  });
  return {
    empty: [],
    take(times, nowMs) {
      const recent = recentOf(times, nowMs);
      const allowed = recent.length < most;
      const state = allowed ? [...recent, nowMs] : recent;
      return { decision: told(allowed, state, nowMs), state };
    },
    peek(times, nowMs) {
      const recent = recentOf(times, nowMs);
      return told(recent.length < most, recent, nowMs);
    },
    refund: (times) => times.slice(0, -1),
    isOver: (times, nowMs) => (times.at(-1) ?? 0) + windowMs <= nowMs,
  };
}

const seconds = (ms: number) => Math.ceil(ms / 1000);
