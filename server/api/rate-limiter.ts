import type { LimitName } from '../../shared/contract/limits.ts';

/** Decision of a tier about one request (docs/reference/rate-limits.md). */
export interface Decision {
  allowed: boolean;
  /** Burst size of a bucket, or maximum number of requests in a window. */
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the limit is completely unused. */
  resetAt: number;
  /** Seconds until a request would pass; 0 if this one did. */
  retryAfter: number;
}

/** Counter of requests by tier and subject, such as a client address, the ID of an API key or site, or a mailbox. */
export interface RateLimiter {
  /**
   * Counts one request; null if the tier is off. A refused request is not counted. Returns no promise if the decision
   * is immediate.
   */
  take(tier: LimitName, subject: string): Decision | null | Promise<Decision | null>;
  /** Returns the decision without counting a request; null if the tier is off. */
  peek(tier: LimitName, subject: string): Promise<Decision | null>;
  /** Takes back one counted request, for example because another tier refused it. */
  refund(tier: LimitName, subject: string): Promise<void>;
}
