import type { LimitName } from '../../shared/contract/limits.ts';

/** What a tier says of one request (docs/contract.md#limits). */
export interface Decision {
  allowed: boolean;
  /** The burst size. */
  limit: number;
  remaining: number;
  /** Unix time in seconds at which the tier is whole again. */
  resetAt: number;
  /** Seconds until a request would pass; 0 when this one did. */
  retryAfter: number;
}

/** Counts requests by tier and subject: a client address, the id of an API key, a person or a browser. */
export interface RateLimiter {
  /** Counts one request; null when the tier is switched off. A refused request is not counted. At once where it can be. */
  take(tier: LimitName, subject: string): Decision | null | Promise<Decision | null>;
  /** What `take` would say of the requests counted so far; null when the tier is switched off. */
  peek(tier: LimitName, subject: string): Promise<Decision | null>;
  /** Takes back one counted request, because another tier refused it. */
  refund(tier: LimitName, subject: string): Promise<void>;
}
