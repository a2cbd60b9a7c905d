import type { Decision } from '../rate-limiter.ts';

/** What a rule says of one request. */
export interface Verdict extends Pick<Decision, 'allowed' | 'limit' | 'remaining'> {
  /** Milliseconds until all is there again. */
  wholeInMs: number;
  /** Milliseconds until a request would pass; 0 when this one did. */
  passesInMs: number;
}

/** A verdict as callers are told of it at this moment, in milliseconds since the epoch. */
export const decisionOf = ({ wholeInMs, passesInMs, ...rest }: Verdict, epochMs: number): Decision => ({
  ...rest,
  resetAt: Math.ceil((epochMs + wholeInMs) / 1_000),
  retryAfter: Math.ceil(passesInMs / 1_000),
});

/**
 * How a tier decides: pure functions of what it remembers of one subject. Moments are milliseconds of one clock; where that
 * is set back, what it remembers lies ahead, and counts as if it had happened just now.
 */
export interface Rule<State> {
  /** Of a subject of whom nothing is remembered. */
  empty: State;
  take(state: State, nowMs: number): { verdict: Verdict; state: State };
  peek(state: State, nowMs: number): Verdict;
  refund(state: State): State;
  /** Whether a state says no more than `empty`. */
  isOver(state: State, nowMs: number): boolean;
}

/** A token bucket; its state is when it will be full again, as `takeToken` counts. */
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

/** Never more than `most` in any so many minutes. */
export interface Window {
  most: number;
  minutes: number;
}

/** Counts however requests are spread; its state is when those were that it let through, the latest last. */
export function windowRule({ most, minutes }: Window): Rule<readonly number[]> {
  const windowMs = minutes * 60_000;
  const recentOf = (times: readonly number[], nowMs: number) =>
    times.filter((time) => time + windowMs > nowMs).map((time) => Math.min(time, nowMs));
  const verdictOf = (allowed: boolean, times: readonly number[], nowMs: number): Verdict => ({
    allowed,
    limit: most,
    remaining: most - times.length,
    wholeInMs: times.length > 0 ? (times.at(-1) ?? nowMs) + windowMs - nowMs : 0,
    passesInMs: allowed ? 0 : (times[0] ?? nowMs) + windowMs - nowMs,
  });
  return {
    empty: [],
    take(times, nowMs) {
      const recent = recentOf(times, nowMs);
      const allowed = recent.length < most;
      const state = allowed ? [...recent, nowMs] : recent;
      return { verdict: verdictOf(allowed, state, nowMs), state };
    },
    peek(times, nowMs) {
      const recent = recentOf(times, nowMs);
      return verdictOf(recent.length < most, recent, nowMs);
    },
    refund: (times) => times.slice(0, -1),
    isOver: (times, nowMs) => (times.at(-1) ?? 0) + windowMs <= nowMs,
  };
}

/** The size of a token bucket. */
export interface Bucket {
  perMinute: number;
  burst: number;
}

export interface BucketVerdict {
  allowed: boolean;
  /** Requests that would pass right now, after this one. */
  remaining: number;
  /** The bucket's new state. */
  fullAt: number;
  /** Milliseconds until the bucket is full again. */
  wholeInMs: number;
  /** Milliseconds until a request would pass; 0 when this one did. */
  passesInMs: number;
}

/** A token, in parts of which a millisecond brings `perMinute`: whole numbers for every size, so nothing is rounded. */
export const tokenParts = 60_000;

/**
 * A token bucket in GCRA form: its whole state is one moment, when it will be full again, counted in parts since the clock's
 * beginning; 0 for one that is full. Takes one token at `nowMs`. A refused request changes nothing.
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

/** What the bucket holds, with none taken. No more than a burst is ever missing. */
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

/** The bucket's state after a token is put back. */
export const returnToken = (fullAt: number) => fullAt - tokenParts;
