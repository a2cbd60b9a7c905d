import type { Decision } from '../kernel/rate-limiter.ts';

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

/** A token bucket; its state is when it will be full again, as `takeToken` counts. */
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

/** Never more than `most` in any so many minutes. */
export interface Window {
  most: number;
  minutes: number;
}

/** Counts however requests are spread; its state is when those were that it let through, the latest last. */
export function windowRule({ most, minutes }: Window): Rule<readonly number[]> {
  const windowMs = minutes * 60_000;
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

/** The size of a token bucket. */
export interface Bucket {
  perMinute: number;
  burst: number;
}

export interface BucketDecision {
  allowed: boolean;
  /** Requests that would pass right now, after this one. */
  remaining: number;
  /** The bucket's new state. */
  fullAt: number;
  /** When the bucket is full again, in milliseconds since the epoch. */
  fullAtMs: number;
  /** Milliseconds until a request would pass; 0 when this one did. */
  retryAfterMs: number;
}

/** A token, in parts of which a millisecond brings `perMinute`: whole numbers for every size, so nothing is rounded. */
export const tokenParts = 60_000;

/**
 * A token bucket in GCRA form: its whole state is one moment, when it will be full again, counted in parts since the
 * epoch; 0 for one that is full. Takes one token at `nowMs`. A refused request changes nothing.
 */
export function takeToken({ perMinute, burst }: Bucket, fullAt: number, nowMs: number): BucketDecision {
  const now = nowMs * perMinute;
  const usedParts = Math.max(fullAt - now, 0);
  const freeParts = burst * tokenParts - usedParts;
  const allowed = freeParts >= tokenParts;
  const after = allowed ? now + usedParts + tokenParts : fullAt;
  return {
    allowed,
    remaining: allowed ? Math.floor(freeParts / tokenParts) - 1 : 0,
    fullAt: after,
    fullAtMs: after / perMinute,
    retryAfterMs: allowed ? 0 : (tokenParts - freeParts) / perMinute,
  };
}

/** What the bucket holds, with none taken. */
function peekTokens({ perMinute, burst }: Bucket, fullAt: number, nowMs: number): BucketDecision {
  const now = nowMs * perMinute;
  const freeParts = burst * tokenParts - Math.max(fullAt - now, 0);
  const allowed = freeParts >= tokenParts;
  return {
    allowed,
    remaining: Math.floor(Math.max(freeParts, 0) / tokenParts),
    fullAt,
    fullAtMs: Math.max(fullAt / perMinute, nowMs),
    retryAfterMs: allowed ? 0 : (tokenParts - freeParts) / perMinute,
  };
}

/** The bucket's state after a token is put back. */
export const returnToken = (fullAt: number) => fullAt - tokenParts;
