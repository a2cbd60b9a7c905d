import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { TrackView, ViewFilter } from '../../shared/contract/features/analytics.ts';
import type { MediaType } from '../../shared/contract/features/media.ts';
import type { Theme } from '../../shared/contract/features/theme.ts';
import type { Clock } from '../../shared/contract/moments.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import type { Resource } from '../../shared/contract/resource.ts';
import type { Database } from '../../shared/db/config.ts';
import type { ViewCount } from '../../shared/db/page-view-counts.ts';
import type { Share } from '../../shared/db/shares.ts';
import type { Standbys } from '../../shared/db/standbys.ts';
import type { Seen } from '../../shared/db/wal-position.ts';
import type { Mailer } from '../../shared/mail/mailer.ts';
import type { MediaStore } from '../../shared/media/store.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import type { Timeouts } from '../../shared/timeouts.ts';
import type { WebhookSender } from '../../shared/webhooks/send.ts';
import type { TargetRule } from '../../shared/webhooks/target.ts';
import type { KeyFinder, VisitedSiteFinder } from './callers.ts';
import type { DrawCard } from './card.ts';
import type { FollowerPositions, FollowTimes, LiveLog } from './following.ts';
import type { Markdown } from './markdown.ts';
import type { Offload } from './offload.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ResponseCache } from './response-cache.ts';
import type { SignIn } from './sign-in.ts';
import type { Transfers } from './transfers.ts';

/** What the process reaches the outside world through. */
export interface Infrastructure {
  database: Database;
  /** Where some of the reads go; undefined without any. */
  standbys?: Standbys | undefined;
  clock: Clock;
  randomBytes: RandomBytes;
  limiter: RateLimiter;
  logger: FastifyBaseLogger;
  webhooks: WebhookDeps;
  secrets: SecretBox;
  mailer: Mailer;
  media: MediaStore;
  following: FollowTimes;
  timeouts: Timeouts;
  /** Threads for what takes long when somebody wants it to. */
  offload: Offload;
  /** Where requests are counted, if anybody asks for it. */
  metrics?: Registry | undefined;
  config: ServerConfig;
}

/** The infrastructure, and what one server process remembers. */
export interface Deps extends Infrastructure, StoreDeps {
  findKey: KeyFinder;
  /** Whose a key was when it was last asked for; whether it still opens anything only `findKey` tells. */
  siteOfKey(key: { secret: string; host: string }): string | undefined;
  findVisitedSite: VisitedSiteFinder;
  findRecord: RecordFinder;
  findFile: FileFinder;
  responses: ResponseCache;
  /** What is made of the texts of a site. */
  markdown: (siteId: string) => Markdown;
  drawCard: DrawCard;
  tracker: Tracker;
  viewCounts: ViewCounts;
  previewHome: HomePreview;
  liveLog: LiveLog;
  followerPositions: FollowerPositions;
  /** The turn of each upload: files that come are on the disk, and take time. */
  uploads: Share;
  transfers: Transfers;
  signIn: SignIn;
  /** The turn of each password that is compared. */
  passwordChecks: Share;
  /** What does not work at the moment though reads do, with the reason in a few words: `/readyz` names it, and a metric. */
  degraded: Map<DegradedPart, string>;
}

/** What can fail by itself while pages are served. */
export type DegradedPart = 'writes' | 'media' | 'standby';

/** Gives what readers may see of a record; null when there is none, or none that is public. */
export type RecordFinder = (question: RecordQuestion) => Promise<PublicRecord | null>;

/** Which record of a site. */
export interface RecordQuestion {
  siteId: string;
  resource: Resource;
  column: 'id' | 'slug';
  value: string;
  /** What a standby has to have to answer; none may when left out. */
  seen?: Seen | undefined;
}

export interface PublicRecord {
  revision: number;
  /** Of its collection, at the same moment. */
  version: number;
  record: object;
}

/** Gives a file of a site as its visitors get it; null when there is none. */
export type FileFinder = (siteId: string, id: string) => Promise<ServedFile | null>;

export interface ServedFile {
  id: string;
  name: string;
  type: MediaType;
  size: number;
  sha256: string;
  /** Of the smaller copies that there are. */
  widths: readonly number[];
}

/** Makes the home page of the site at `host` as a stranger would see it with this theme. Throws `not_found` where there is none. */
type HomePreview = (host: string, theme: Theme) => Promise<{ siteId: string; html: string; css: string }>;

/** Stores page views. */
export interface Tracker {
  /** Resolves when the view is stored. One by a bot is dropped. */
  track(visit: Visit, view: TrackView): Promise<void>;
}

/** Who views a page, as the request tells. */
interface Visit {
  /** The database, or the transaction that the view belongs to. */
  deps: Pick<StoreDeps, 'database'>;
  siteId: string;
  /** The client's address as rate limits count it. */
  client: string;
  host: string;
  userAgent: string | undefined;
}

/** Counts page views. */
export interface ViewCounts {
  /**
   * Totals by day, and of paths, referrers and campaigns those with the most views of all the days, in order; of the views
   * that `only` names, as far back as there are raw ones.
   */
  count(siteId: string, days: readonly string[], only?: ViewFilter): Promise<readonly ViewCount[]>;
}

/** What stores need: operator commands call them too. */
export interface StoreDeps extends Pick<Infrastructure, 'database' | 'clock' | 'randomBytes'> {
  /** Within a transaction that goes on while its writes are carried out: what becomes of them. */
  unanswered?: Promise<unknown>[];
}

/** How webhooks are checked and sent; the worker has the same. */
export interface WebhookDeps {
  rule: TargetRule;
  sender: WebhookSender;
}

export interface ServerConfig {
  /** The service's own origin; `https` turns on the HTTPS rule. */
  publicUrl: URL;
  /** Networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, as CIDRs. */
  trustProxy: string[];
  bodyLimitBytes: number;
  /** Of the addresses that newsletters come back to; null where they come back to who sends them. */
  bounceDomain: string | null;
  /** Where the studio is built into; it need not be there yet. */
  studioDir: string;
}
