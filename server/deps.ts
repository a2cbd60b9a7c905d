import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { RandomBytes } from '../shared/contract/random-text.ts';
import type { Database } from '../shared/db/config.ts';
import type { SecretBox } from '../shared/webhooks/secret-box.ts';
import type { WebhookSender } from '../shared/webhooks/send.ts';
import type { TargetRule } from '../shared/webhooks/target.ts';
import { createKeyFinder, type KeyFinder } from './access/api-key.ts';
import { createSiteFinder, type SiteFinder } from './access/site-of-host.ts';
import { createTracker, type Tracker } from './analytics/tracker.ts';
import { type AnswerCache, answerCacheBytes, createAnswerCache } from './cache/answer-cache.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import type { Mailer } from './mailer.ts';

export interface Clock {
  now(): Date;
}

/** All that the server reaches the world through, handed in by `main.ts` and by tests. */
export interface World {
  database: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  limiter: RateLimiter;
  logger: FastifyBaseLogger;
  webhooks: WebhookDeps;
  mailer: Mailer;
  /** Where requests are counted, if anybody asks for it. */
  metrics?: Registry | undefined;
  config: ServerConfig;
}

/** The world, and what one server process remembers. */
export interface Deps extends World {
  findKey: KeyFinder;
  findSite: SiteFinder;
  answers: AnswerCache;
  tracker: Tracker;
}

export const createDeps = (world: World): Deps => ({
  ...world,
  findKey: createKeyFinder(world),
  findSite: createSiteFinder(world),
  answers: createAnswerCache(answerCacheBytes),
  tracker: createTracker(world),
});

/** What functions need that operators call too. */
export type OperatorDeps = Pick<World, 'database' | 'clock' | 'randomBytes'>;

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
