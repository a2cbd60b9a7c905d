import type { LimitName } from '../../../shared/contract/limits.ts';
import { ApiError } from '../api-error.ts';
import type { Decision, RateLimiter } from '../rate-limiter.ts';

export interface Charge {
  tier: LimitName;
  subject: string;
}

/** Counts a request in a tier and notes the decision for the reply's headers; throws `rate_limited`. */
export async function count(limiter: RateLimiter, decisions: Decision[], { tier, subject }: Charge) {
  noteDecision(await limiter.take(tier, subject), decisions);
}

/** Notes the decision of a tier for the reply's headers; throws `rate_limited`. */
export function noteDecision(decision: Decision | null, decisions: Decision[]) {
  if (!decision) return;
  decisions.push(decision);
  if (!decision.allowed) throw new ApiError('rate_limited', undefined, { retryAfter: decision.retryAfter });
}

/** Counts a request that passed its `first` tier in another one; what that refuses is not counted in the first. */
export async function countBesides(
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

/** The decision that a reply's headers describe: the one with the fewest remaining. */
export function tightest(decisions: readonly Decision[]): Decision | undefined {
  return decisions.toSorted((a, b) => a.remaining - b.remaining || b.retryAfter - a.retryAfter)[0];
}
