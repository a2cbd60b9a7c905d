import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import type { Clock } from '../../shared/contract/timestamps.ts';
import type { Database } from '../../shared/db/config.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import type { Timeouts } from '../../shared/runtime/timeouts.ts';
import type { TargetRule, WebhookSender } from '../../shared/webhooks/index.ts';
import type { AssistantFinder, KeyFinder, VisitedSiteFinder } from './callers.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ResponseCache } from './response-cache.ts';
import type { ThreadPool } from './thread-pool.ts';

/** Connections of the process to the outside world. */
export interface Infrastructure {
  database: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  limiter: RateLimiter;
  logger: FastifyBaseLogger;
  /** Target check and sender of webhooks; the worker has the same. */
  webhooks: { rule: TargetRule; sender: WebhookSender };
  secrets: SecretBox;
  mailer: Mailer;
  media: MediaStore;
  timeouts: Timeouts;
  /** Thread pool for work whose cost a user controls. */
  threadPool: ThreadPool;
  /** Registry of metrics; undefined if metrics are off. */
  metrics?: Registry | undefined;
  config: ServerConfig;
}

/** Infrastructure and in-memory state of one server process. Features add their own fields; `createDeps` provides all. */
export interface Deps extends Infrastructure, StoreDeps {
  findKey: KeyFinder;
  findAssistant: AssistantFinder;
  findVisitedSite: VisitedSiteFinder;
  findRecord: RecordFinder;
  responses: ResponseCache;
  /**
   * Parts of the service that currently fail while reads still work, each with a short reason. `/readyz` and a metric
   * report them.
   */
  degraded: Map<DegradedPart, string>;
}

/** Parts of the service that can fail while pages are still served. */
export type DegradedPart = 'writes' | 'media' | 'standby';

/** Finds the public form of a record; null if it does not exist or is not public. */
export type RecordFinder = (question: {
  siteId: string;
  resource: Resource;
  column: 'id' | 'slug';
  value: string;
}) => Promise<PublicRecord | null>;

export interface PublicRecord {
  revision: number;
  record: object;
}

/** Deps of stores; operator commands call stores too. */
export type StoreDeps = Pick<Infrastructure, 'database' | 'clock' | 'randomBytes'>;

export interface ServerConfig {
  /** Origin of the service; `https` turns on the HTTPS rule. */
  publicUrl: URL;
  /** Address that the studio redirects to from hosts of sites; null if it answers on any host. */
  studioUrl: URL | null;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted, as CIDRs. */
  trustProxy: string[];
  bodyLimitBytes: number;
  /** True if test sales open content for everyone (`countsTestSales`). */
  countsTest: boolean;
  stripeApiBase: URL;
  /** Domain of the addresses that receive newsletter bounces; null if bounces go to the sender's address. */
  bounceDomain: string | null;
  /** Folder of the built studio; it may not exist yet. */
  studioDir: string;
}
