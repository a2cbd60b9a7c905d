import { Counter, type Registry } from 'prom-client';
import type { LimitName } from '../../../shared/contract/limits.ts';
import type { Decision, RateLimiter } from '../rate-limiter.ts';

/**
 * Returns a function that counts, by tier, requests which are allowed uncounted because the database does not answer.
 * Without a registry it does nothing.
 */
export function createUncountedCounter(registry: Registry | undefined) {
  if (!registry) return () => {};
  const uncounted = new Counter({
    name: 'rate_limit_uncounted_total',
    help: 'Requests and calls allowed without counting because the database was unavailable, by tier',
    labelNames: ['tier'],
    registers: [registry],
  });
  return (tier: LimitName) => uncounted.inc({ tier });
}

export function countRefusals(limiter: RateLimiter, registry: Registry): RateLimiter {
  const refusals = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests and calls refused by a rate limit, by tier',
    labelNames: ['tier'],
    registers: [registry],
  });
  return {
    ...limiter,
    take(tier, subject) {
      const noted = (decision: Decision | null) => {
        if (decision?.allowed === false) refusals.inc({ tier });
        return decision;
      };
      const decision = limiter.take(tier, subject);
      return decision instanceof Promise ? decision.then(noted) : noted(decision);
    },
  };
}
