import { Counter, type Registry } from 'prom-client';
import type { RateLimiter } from '../kernel/rate-limiter.ts';

/** `limiter`, with what it refuses counted by tier. */
export function countRefusals(limiter: RateLimiter, registry: Registry): RateLimiter {
  const refusals = new Counter({
    name: 'rate_limit_refusals_total',
    help: 'Requests and calls refused by a rate limit, by tier',
    labelNames: ['tier'],
    registers: [registry],
  });
  return {
    ...limiter,
    async take(tier, subject) {
      const decision = await limiter.take(tier, subject);
      if (decision?.allowed === false) refusals.inc({ tier });
      return decision;
    },
  };
}
