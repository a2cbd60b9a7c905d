import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { Clock } from '../../shared/contract/moments.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import type { Database } from '../../shared/db/config.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import type { SecretBox } from '../../shared/runtime/secret-box.ts';
import type { Timeouts } from '../../shared/runtime/timeouts.ts';
import type { TargetRule, WebhookSender } from '../../shared/webhooks/index.ts';
import type { AssistantFinder, KeyFinder, VisitedSiteFinder } from './callers.ts';
import type { Offload } from './offload.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ResponseCache } from './response-cache.ts';

/** What the process reaches the outside world through. */
export interface Infrastructure {
  database: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  limiter: RateLimiter;
  logger: FastifyBaseLogger;
  /** How webhooks are checked and sent; the worker has the same. */
  webhooks: { rule: TargetRule; sender: WebhookSender };
  secrets: SecretBox;
  mailer: Mailer;
  media: MediaStore;
  timeouts: Timeouts;
  /** Threads for what takes long when somebody wants it to. */
  offload: Offload;
  /** Where requests are counted, if anybody asks for it. */
  metrics?: Registry | undefined;
  config: ServerConfig;
}

/** The infrastructure, and what one server process remembers. A feature adds what it has of its own; `createDeps` provides all. */
export interface Deps extends Infrastructure, StoreDeps {
  findKey: KeyFinder;
  findAssistant: AssistantFinder;
  findVisitedSite: VisitedSiteFinder;
  findRecord: RecordFinder;
  responses: ResponseCache;
  /** What does not work at the moment though reads do, with the reason in a few words: `/readyz` names it, and a metric. */
  degraded: Map<DegradedPart, string>;
}

/** What can fail by itself while pages are served. */
export type DegradedPart = 'writes' | 'media' | 'standby';

/** Gives what readers may see of a record; null when there is none, or none that is public. */
export type RecordFinder = (question: RecordQuestion) => Promise<PublicRecord | null>;

/** Which record of a site. */
interface RecordQuestion {
  siteId: string;
  resource: Resource;
  column: 'id' | 'slug';
  value: string;
}

export interface PublicRecord {
  revision: number;
  record: object;
}

/** What stores need: operator commands call them too. */
export type StoreDeps = Pick<Infrastructure, 'database' | 'clock' | 'randomBytes'>;

export interface ServerConfig {
  /** The service's own origin; `https` turns on the HTTPS rule. */
  publicUrl: URL;
  /** Address that the studio redirects to from hosts of sites; null where it answers at any host. */
  studioUrl: URL | null;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, as CIDRs. */
  trustProxy: string[];
  bodyLimitBytes: number;
  /** Of the addresses that newsletters come back to; null where they come back to who sends them. */
  bounceDomain: string | null;
  /** Where the studio is built into; it need not be there yet. */
  studioDir: string;
}
