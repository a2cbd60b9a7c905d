import type { LimitName } from '../../../shared/contract/limits.ts';
import { ApiError } from '../api-error.ts';
import type { Decision, RateLimiter } from '../rate-limiter.ts';

export interface Charge {
  tier: LimitName;
  subject: string;
}

/**
 * Counts a request in a rate limit tier and adds the decision to those of the reply's headers. Throws `rate_limited`, with
 * the seconds until a retry may succeed. Does nothing if the tier is off.
 */
export async function count(limiter: RateLimiter, decisions: Decision[], { tier, subject }: Charge) {
  noteDecision(await limiter.take(tier, subject), decisions);
}

/**
 * Adds the decision of a rate limit tier to those of the reply's headers. Throws `rate_limited` if the request was refused.
 * Null means that the tier is off, and adds nothing.
 */
export function noteDecision(decision: Decision | null, decisions: Decision[]) {
  if (!decision) return;
  decisions.push(decision);
  if (!decision.allowed) throw new ApiError('rate_limited', undefined, { retryAfter: decision.retryAfter });
}

/**
 * Counts a request in a second rate limit tier after it passed the first. If the second refuses it, the first no longer
 * counts it, and the function throws `rate_limited`.
 */
export async function countInSecondTier(
  limiter: RateLimiter,
  decisions: Decision[],
  charges: { first: Charge; also: Charge },
) {
  try {
    await count(limiter, decisions, charges.also);
  } catch (refusal) {
    await limiter.refund(charges.first.tier, charges.first.subject);
    throw refusal;
  }
}

/** Returns the decision for the reply's headers: the one with the fewest requests remaining. Undefined without decisions. */
export function tightest(decisions: readonly Decision[]): Decision | undefined {
  return decisions.toSorted((a, b) => a.remaining - b.remaining || b.retryAfter - a.retryAfter)[0];
}
