import type { FastifyBaseLogger } from 'fastify';
import type { RandomBytes } from '../shared/contract/random-text.ts';
import type { Database } from '../shared/db/config.ts';
import type { RateLimiter } from './http/rate-limiter.ts';

export interface Clock {
  now(): Date;
}

/** All that the server reaches the world through, handed in by `main.ts` and by tests. */
export interface Deps {
  database: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  limiter: RateLimiter;
  logger: FastifyBaseLogger;
  config: ServerConfig;
}

export interface ServerConfig {
  /** The service's own origin; `https` turns on the HTTPS rule. */
  publicUrl: URL;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, as CIDRs. */
  trustProxy: string[];
  bodyLimitBytes: number;
}
