import type { TierName } from '../../shared/contract/limits.ts';
import { ApiError } from '../errors.ts';
import type { RateLimiter, Verdict } from '../http/rate-limiter.ts';

interface Charge {
  tier: TierName;
  subject: string;
}

/** Counts a request in a tier and notes the verdict for the reply's headers; throws `rate_limited`. */
export async function spend(limiter: RateLimiter, verdicts: Verdict[], { tier, subject }: Charge) {
  const verdict = await limiter.take(tier, subject);
  if (!verdict) return;
  verdicts.push(verdict);
  if (!verdict.allowed) throw new ApiError('rate_limited', undefined, { retryAfter: verdict.retryAfter });
}

/** Counts a request that passed its `first` tier in another one; what that refuses is not counted in the first (DECISIONS 4). */
export async function spendBesides(
  limiter: RateLimiter,
  verdicts: Verdict[],
  charges: { first: Charge; also: Charge },
) {
  try {
    await spend(limiter, verdicts, charges.also);
  } catch (refusal) {
    await limiter.giveBack(charges.first.tier, charges.first.subject);
    throw refusal;
  }
}
