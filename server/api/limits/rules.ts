import type { Decision } from '../rate-limiter.ts';

/** Decision of a rule about one request, with relative times. */
export interface Verdict extends Pick<Decision, 'allowed' | 'limit' | 'remaining'> {
  /** Milliseconds until the limit is completely unused. */
  wholeInMs: number;
  /** Milliseconds until a request would pass; 0 if this one did. */
  passesInMs: number;
}

/**
 * Converts a verdict to a decision. `resetAt` is in seconds since 1970, and `retryAfter` in seconds from now. `epochMs` is
 * the current time in milliseconds since 1970.
 */
export const decisionOf = ({ wholeInMs, passesInMs, ...rest }: Verdict, epochMs: number): Decision => ({
  ...rest,
  resetAt: Math.ceil((epochMs + wholeInMs) / 1_000),
  retryAfter: Math.ceil(passesInMs / 1_000),
});

/**
 * Decision rule of a tier: pure functions of the state of one subject. Times are milliseconds of one clock. If the
 * clock is set back, a window counts future times as now, and a bucket lacks at most one burst.
 */
export interface Rule<State> {
  /** State of a subject without requests. */
  empty: State;
  take(state: State, nowMs: number): { verdict: Verdict; state: State };
  peek(state: State, nowMs: number): Verdict;
  refund(state: State): State;
  /** True if a state has the same effect as `empty` now, so that it can be dropped. */
  isOver(state: State, nowMs: number): boolean;
}

/** Creates the rule of a token bucket. Its state is the time at which it will be full, in the unit of `takeToken`. */
export function bucketRule(bucket: Bucket): Rule<number> {
  const verdictOf = ({ allowed, remaining, wholeInMs, passesInMs }: BucketVerdict): Verdict => ({
    allowed,
    limit: bucket.burst,
    remaining,
    wholeInMs,
    passesInMs,
  });
  return {
    empty: 0,
    take(fullAt, nowMs) {
      const verdict = takeToken(bucket, fullAt, nowMs);
      return { verdict: verdictOf(verdict), state: verdict.fullAt };
    },
    peek: (fullAt, nowMs) => verdictOf(peekTokens(bucket, fullAt, nowMs)),
    refund: returnToken,
    isOver: (fullAt, nowMs) => fullAt <= nowMs * bucket.perMinute,
  };
}

/** Limit of `max` requests in any period of `minutes`. */
export interface Window {
  max: number;
  minutes: number;
}

/** Creates the rule of a sliding window. Its state contains the times of allowed requests, the latest last. */
export function windowRule({ max, minutes }: Window): Rule<readonly number[]> {
  const windowMs = minutes * 60_000;
  const recentOf = (times: readonly number[], nowMs: number) =>
    times.filter((time) => time + windowMs > nowMs).map((time) => Math.min(time, nowMs));
  const verdictOf = (allowed: boolean, times: readonly number[], nowMs: number): Verdict => ({
    allowed,
    limit: max,
    remaining: max - times.length,
    wholeInMs: times.length > 0 ? (times.at(-1) ?? nowMs) + windowMs - nowMs : 0,
    passesInMs: allowed ? 0 : (times[0] ?? nowMs) + windowMs - nowMs,
  });
  return {
    empty: [],
    take(times, nowMs) {
      const recent = recentOf(times, nowMs);
      const allowed = recent.length < max;
      const state = allowed ? [...recent, nowMs] : recent;
      return { verdict: verdictOf(allowed, state, nowMs), state };
    },
    peek(times, nowMs) {
      const recent = recentOf(times, nowMs);
      return verdictOf(recent.length < max, recent, nowMs);
    },
    refund: (times) => times.slice(0, -1),
    isOver: (times, nowMs) => (times.at(-1) ?? 0) + windowMs <= nowMs,
  };
}

export interface Bucket {
  perMinute: number;
  burst: number;
}

export interface BucketVerdict {
  allowed: boolean;
  /** Number of requests that would still pass now, after this one. */
  remaining: number;
  fullAt: number;
  /** Milliseconds until the bucket is full. */
  wholeInMs: number;
  /** Milliseconds until a request would pass; 0 if this one did. */
  passesInMs: number;
}

/**
 * Number of parts of a token. A millisecond adds `perMinute` parts to a bucket, so all amounts are whole numbers and
 * need no rounding.
 */
export const tokenParts = 60_000;

/**
 * Takes one token at `nowMs` from a token bucket in GCRA form. The whole state is the time at which the bucket is full
 * again, in milliseconds since the clock's start, multiplied by `perMinute`. A time in the past means a full bucket; a new
 * one has 0. A refused request changes nothing.
 */
export function takeToken(bucket: Bucket, fullAt: number, nowMs: number): BucketVerdict {
  const before = peekTokens(bucket, fullAt, nowMs);
  if (!before.allowed) return before;
  const { perMinute } = bucket;
  const after = before.fullAt + tokenParts;
  return {
    ...before,
    remaining: before.remaining - 1,
    fullAt: after,
    wholeInMs: (after - nowMs * perMinute) / perMinute,
  };
}

/** Returns the bucket's content without taking a token. At most one burst is missing, even if the clock was set back. */
function peekTokens({ perMinute, burst }: Bucket, fullAt: number, nowMs: number): BucketVerdict {
  const now = nowMs * perMinute;
  const usedParts = Math.min(Math.max(fullAt - now, 0), burst * tokenParts);
  const freeParts = burst * tokenParts - usedParts;
  const allowed = freeParts >= tokenParts;
  return {
    allowed,
    remaining: Math.floor(freeParts / tokenParts),
    fullAt: now + usedParts,
    wholeInMs: usedParts / perMinute,
    passesInMs: allowed ? 0 : (tokenParts - freeParts) / perMinute,
  };
}

export const returnToken = (fullAt: number) => fullAt - tokenParts;
