import { type Logger, pino } from 'pino';
import { createDatabaseRateLimiter } from '../../server/api/limits/database-rate-limiter.ts';
import { openLimitConnection } from '../../server/api/limits/limit-connection.ts';
import type { TierSettings } from '../../server/api/limits/tiers.ts';
import type { LimitName } from '../../shared/contract/limits.ts';
import type { Clock } from '../../shared/contract/timestamps.ts';
import { testSecretKey } from './app.ts';

interface SharedLimiterOptions {
  databaseUrl: string;
  tiers: TierSettings;
  clock?: Clock;
  logger?: Logger;
}

/** Creates a rate limiter like that of one server process, over a database that several share. */
export function openSharedLimiter({ databaseUrl, logger, ...options }: SharedLimiterOptions) {
  const connection = openLimitConnection(databaseUrl, logger ?? pino({ level: 'silent' }));
  const uncounted: LimitName[] = [];
  const limiter = createDatabaseRateLimiter({
    ...options,
    connection,
    secretKey: testSecretKey,
    onUncounted: (tier) => uncounted.push(tier),
  });
  return Object.assign(limiter, {
    /** Tiers of requests that were allowed without being counted. */
    uncounted,
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  });
}
