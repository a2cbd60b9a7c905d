import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { following, media, timeouts } from '../../shared/contract/limits.ts';
import { systemClock } from '../../shared/contract/timestamps.ts';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { createConcurrencyQuota } from '../../shared/db/concurrency-quota.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { openDatabaseClock } from '../../shared/db/database-clock.ts';
import { serverWaits } from '../../shared/db/database-timeouts.ts';
import { isWrittenFromTheRight } from '../../shared/i18n/language-rules.ts';
import { openMailRoute } from '../../shared/mail/mail-route.ts';
import { createMailer, senderOf } from '../../shared/mail/mailer.ts';
import { openMediaStore } from '../../shared/media/open-store.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import { countsTestSales } from '../../shared/selling/test-sales.ts';
import { createDnsLookup, createWebhookSender } from '../../shared/webhooks/index.ts';
import { createAssistantFinder } from '../accounts/assistants/find-assistant.ts';
import { createSignIn } from '../accounts/assistants/sign-in.ts';
import { passwordsAtOnce } from '../accounts/sessions/passwords.ts';
import { getSettings } from '../accounts/sites/store.ts';
import { createKeyFinder } from '../api/access/api-key.ts';
import { createVisitedSiteFinder } from '../api/access/site-of-host.ts';
import { countLookups, createResponseCache, responseCacheBytes } from '../api/cache/response-cache.ts';
import type { Deps, Infrastructure } from '../api/deps.ts';
import { countRefusals, createUncountedCounter } from '../api/limits/count-refusals.ts';
import { createDatabaseRateLimiter } from '../api/limits/database-rate-limiter.ts';
import { openLimitConnection } from '../api/limits/limit-connection.ts';
import { createMemoryRateLimiter } from '../api/limits/memory-rate-limiter.ts';
import { keepLimitsPruned } from '../api/limits/prune-limits.ts';
import { tierSizes } from '../api/limits/tiers.ts';
import { createTracker } from '../audience/analytics/tracker.ts';
import { createViewCounts } from '../audience/analytics/view-counts.ts';
import { createMarkdown } from '../content/markdown/markdown.ts';
import { createRecordFinder } from '../content/records/record-finder.ts';
import { createFollowerSlots } from '../events/follower-slots.ts';
import { createLiveLog } from '../events/live-log.ts';
import { noteOutages } from '../media/report-outages.ts';
import { createSocialImages } from '../media/social-images/social-images.ts';
import { createFileFinder } from '../media/store.ts';
import { previewHome, stylesheetFor } from '../site/index.ts';
import { createThreadPool } from '../threads/thread-pool.ts';
import { createTransfers } from '../transfer/transfers.ts';
import type { ServerSettings } from './settings.ts';

export const builtStudio = join(import.meta.dirname, '../../client/studio/dist');

/**
 * Maximum number of database connections of one server process, and of all processes of one start. PostgreSQL's default
 * allows 97 in total.
 */
const maxConnections = { ofOne: 20, ofAll: 70 } as const;

/** Returns the pool size. While processes are restarted one by one, there is one more of them. */
const poolSizeOf = (processes: number) =>
  Math.min(maxConnections.ofOne, Math.floor(maxConnections.ofAll / (processes === 1 ? 1 : processes + 1)));

/** Creates the deps of one server process: infrastructure, and in-memory state. */
export function createDeps(given: Infrastructure): Deps {
  const degraded: Deps['degraded'] = new Map();
  const infrastructure = { ...given, media: noteOutages(given, degraded) };
  const counted = measured(infrastructure);
  const findVisitedSite = createVisitedSiteFinder(infrastructure);
  const deps: Deps = {
    ...infrastructure,
    ...createKeyFinder(infrastructure),
    findAssistant: createAssistantFinder(infrastructure),
    findVisitedSite,
    findRecord: createRecordFinder(infrastructure),
    findFile: createFileFinder(infrastructure),
    ...counted,
    markdown: createMarkdown({ ...infrastructure, ...counted }),
    drawCard: createSocialImages({ ...infrastructure, ...counted }),
    tracker: createTracker(infrastructure),
    viewCounts: createViewCounts(infrastructure),
    liveLog: createLiveLog(infrastructure),
    followerSlots: createFollowerSlots(infrastructure),
    uploads: createConcurrencyQuota(media.atOnce),
    transfers: createTransfers(infrastructure),
    signIn: createSignIn({ ...infrastructure, findVisitedSite }),
    passwordChecks: createConcurrencyQuota(passwordsAtOnce),
    degraded,
    previewHome: (host, theme) => previewHome(deps, host, theme),
    pageStyles: async (siteId) => {
      const { theme, language } = await getSettings(deps, siteId);
      const { css } = stylesheetFor(theme, deps.responses);
      return { css, dir: isWrittenFromTheRight(language) ? 'rtl' : 'ltr' };
    },
  };
  return deps;
}

/** Creates the response cache, and adds metrics to it and the limiter if metrics are on. */
function measured({ limiter, metrics }: Infrastructure) {
  const responses = createResponseCache(responseCacheBytes);
  if (!metrics) return { limiter, responses };
  return { limiter: countRefusals(limiter, metrics), responses: countLookups(responses, metrics) };
}

/**
 * Opens the connections of a server as its settings specify. `resources` closes them. Throws an error with advice if
 * the database is unusable.
 */
export async function openInfrastructure(
  settings: ServerSettings,
  { logger, metrics }: { logger: Logger; metrics?: Registry | undefined },
  resources: AsyncDisposableStack,
): Promise<Infrastructure> {
  const rule = {
    lookup: createDnsLookup(),
    allowCidrs: settings.WEBHOOK_ALLOW_CIDRS,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
  };
  // `checkDatabase` connects while `openDatabase` prepares the metadata of all entities.
  const [, database] = await Promise.all([
    checkDatabase(settings.DATABASE_URL, logger),
    openDatabase({
      url: settings.DATABASE_URL,
      poolSize: poolSizeOf(settings.WEB_CONCURRENCY),
      applicationName: 'server',
      waits: serverWaits,
      byIndex: true,
    }),
  ]);
  resources.defer(() => database.close());
  const clock = resources.use(
    await openDatabaseClock({
      ...{ database, own: systemClock },
      noteApart: (timestamps) =>
        logger.warn(
          timestamps,
          "clock skew between this machine and the database; the database's clock is used",
        ),
    }),
  );
  const sender = createWebhookSender(rule);
  resources.defer(() => sender.close());
  return {
    database,
    clock,
    randomBytes,
    limiter: openLimiter(settings, { database, clock, logger, metrics }, resources),
    logger,
    mailer: createMailer(openMailRoute(settings), senderOf(settings.PUBLIC_URL), logger),
    media: openMediaStore(settings.MEDIA_URL, database),
    webhooks: { rule, sender },
    secrets: createSecretBox(settings.SECRET_KEY, randomBytes),
    following,
    timeouts,
    threadPool: resources.use(createThreadPool()),
    metrics,
    config: {
      publicUrl: settings.PUBLIC_URL,
      studioUrl: settings.studioUrl,
      trustProxy: settings.TRUST_PROXY,
      bodyLimitBytes: settings.BODY_LIMIT_BYTES,
      countsTest: countsTestSales(settings),
      stripeApiBase: settings.STRIPE_API_BASE,
      bounceDomain: settings.MAIL_BOUNCE_DOMAIN ?? null,
      studioDir: builtStudio,
    },
  };
}

/** Opens the rate limiter of the settings: for this process, or for all that share the database. */
function openLimiter(
  settings: ServerSettings,
  { database, clock, logger, metrics }: Pick<Infrastructure, 'database' | 'clock' | 'logger' | 'metrics'>,
  resources: AsyncDisposableStack,
) {
  const tiers = tierSizes(settings);
  if (settings.RATE_LIMIT_STORE === 'memory') return createMemoryRateLimiter(tiers, clock);
  resources.use(keepLimitsPruned(database, logger));
  return createDatabaseRateLimiter({
    tiers,
    connection: resources.use(openLimitConnection(settings.DATABASE_URL, logger)),
    secretKey: settings.SECRET_KEY,
    onUncounted: createUncountedCounter(metrics),
  });
}
