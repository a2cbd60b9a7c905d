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

export interface Bucket {
  perMinute: number;
  burst: number;
}

/**
 * Number of parts of a token. A millisecond adds `perMinute` parts to a bucket, so all amounts are whole numbers and
 * need no rounding.
 */
export const tokenParts = 60_000;

/**
 * Creates the rule of a token bucket in GCRA form. The whole state is the time at which the bucket is full again, in
 * milliseconds since the clock's start, multiplied by `perMinute`. A time in the past means a full bucket. A refused
 * request changes nothing. At most one burst is missing, even if the clock was set back.
 */
export function bucketRule({ perMinute, burst }: Bucket): Rule<number> {
  const read = (fullAt: number, nowMs: number): { verdict: Verdict; state: number } => {
    const now = nowMs * perMinute;
    const usedParts = Math.min(Math.max(fullAt - now, 0), burst * tokenParts);
    const freeParts = burst * tokenParts - usedParts;
    const allowed = freeParts >= tokenParts;
    const verdict = {
      allowed,
      limit: burst,
      remaining: Math.floor(freeParts / tokenParts),
      wholeInMs: usedParts / perMinute,
      passesInMs: allowed ? 0 : (tokenParts - freeParts) / perMinute,
    };
    return { verdict, state: now + usedParts };
  };
  return {
    empty: 0,
    take(fullAt, nowMs) {
      const before = read(fullAt, nowMs);
      if (!before.verdict.allowed) return before;
      const state = before.state + tokenParts;
      const remaining = before.verdict.remaining - 1;
      const wholeInMs = (state - nowMs * perMinute) / perMinute;
      return { verdict: { ...before.verdict, remaining, wholeInMs }, state };
    },
    peek: (fullAt, nowMs) => read(fullAt, nowMs).verdict,
    refund: (fullAt) => fullAt - tokenParts,
    isOver: (fullAt, nowMs) => fullAt <= nowMs * perMinute,
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
