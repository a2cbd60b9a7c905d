import type { FastifyBaseLogger } from 'fastify';
import type { RandomBytes } from '../shared/contract/random-text.ts';
import type { Database } from '../shared/db/config.ts';
import type { SecretBox } from '../shared/webhooks/secret-box.ts';
import type { WebhookSender } from '../shared/webhooks/send.ts';
import type { TargetRule } from '../shared/webhooks/target.ts';
import type { Tracker } from './analytics/tracker.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import type { Mailer } from './mailer.ts';

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
  webhooks: WebhookDeps;
  mailer: Mailer;
  tracker: Tracker;
  config: ServerConfig;
}

/** What functions need that operators call too. */
export type OperatorDeps = Pick<Deps, 'database' | 'clock' | 'randomBytes'>;

/** How webhooks are checked, signed and sent; the worker has the same. */
export interface WebhookDeps {
  rule: TargetRule;
  secrets: SecretBox;
  sender: WebhookSender;
}

export interface ServerConfig {
  /** The service's own origin; `https` turns on the HTTPS rule. */
  publicUrl: URL;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, as CIDRs. */
  trustProxy: string[];
  bodyLimitBytes: number;
}
