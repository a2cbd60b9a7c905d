import type { TierName } from '../../shared/contract/limits.ts';

/** What a tier says of one request (SPEC "Limits"). */
export interface Verdict {
  allowed: boolean;
  /** The burst size. */
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the tier is whole again. */
  resetAt: number;
  /** Seconds until a request would pass; 0 when this one did. */
  retryAfter: number;
}

/** Counts requests by tier and subject: a client address or the id of an API key. */
export interface RateLimiter {
  /** Counts one request; null when the tier is switched off. A refused request is not counted. */
  take(tier: TierName, subject: string): Promise<Verdict | null>;
  /** Takes back one counted request, because another tier refused it. */
  giveBack(tier: TierName, subject: string): Promise<void>;
}

/** The verdict that a reply's headers describe: the one with the fewest remaining. */
export function tightest(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.toSorted((a, b) => a.remaining - b.remaining || b.retryAfter - a.retryAfter)[0];
}
