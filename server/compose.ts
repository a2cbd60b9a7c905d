import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { checkDatabase } from '../shared/db/check-database.ts';
import { openDatabase } from '../shared/db/config.ts';
import { serverWaits } from '../shared/db/waits.ts';
import type { Logger } from '../shared/process/logger.ts';
import { createMetrics, serveMetrics } from '../shared/process/metrics-server.ts';
import { createDnsLookup } from '../shared/webhooks/lookup.ts';
import { createSecretBox } from '../shared/webhooks/secret-box.ts';
import { createWebhookSender } from '../shared/webhooks/send.ts';
import { createKeyFinder } from './access/api-key.ts';
import { createSiteFinder } from './access/site-of-host.ts';
import { createVisitedSiteFinder } from './access/visited-site.ts';
import { countLookups } from './cache/count-lookups.ts';
import { createResponseCache, responseCacheBytes } from './cache/response-cache.ts';
import { createFinishedViews } from './features/analytics/finished-views.ts';
import { createTracker } from './features/analytics/tracker.ts';
import { createRecordFinder } from './features/records/record-finder.ts';
import type { Deps, Infrastructure } from './kernel/deps.ts';
import { createMailer } from './kernel/mailer.ts';
import { countRefusals, createUncountedCounter } from './limits/count-refusals.ts';
import { createDatabaseRateLimiter } from './limits/database-rate-limiter.ts';
import { openLimitConnection } from './limits/limit-connection.ts';
import { createMemoryRateLimiter } from './limits/memory-rate-limiter.ts';
import { keepLimitsPruned } from './limits/prune-limits.ts';
import { tierSizes } from './limits/tiers.ts';
import type { ServerSettings } from './settings.ts';
import { previewHome } from './surfaces/site/preview.ts';

/** Where `pnpm build:studio` puts the owner's panel. */
export const builtStudio = join(import.meta.dirname, '..', 'client', 'studio', 'dist');

/** Most database connections of one server process. */
const poolSize = 20;

/** The infrastructure with what one server process remembers. */
export function createDeps(infrastructure: Infrastructure): Deps {
  const deps: Deps = {
    ...infrastructure,
    findKey: createKeyFinder(infrastructure),
    findSite: createSiteFinder(infrastructure),
    findVisitedSite: createVisitedSiteFinder(infrastructure),
    findRecord: createRecordFinder(infrastructure),
    ...measured(infrastructure),
    tracker: createTracker(infrastructure),
    finishedViews: createFinishedViews(infrastructure),
    previewHome: (host, theme) => previewHome(deps, host, theme),
  };
  return deps;
}

/** The limiter and a cache of answers, counted where metrics are wanted. */
function measured({ limiter, metrics }: Infrastructure) {
  const responses = createResponseCache(responseCacheBytes);
  if (!metrics) return { limiter, responses };
  return { limiter: countRefusals(limiter, metrics), responses: countLookups(responses, metrics) };
}

/**
 * What a server reaches the outside world through, as its settings say; its connections are ended with `resources`.
 *
 * @throws with what to do when the database can't be used, or the metrics' port is taken
 */
export async function openInfrastructure(
  settings: ServerSettings,
  logger: Logger,
  resources: AsyncDisposableStack,
): Promise<Infrastructure> {
  const clock = { now: () => new Date() };
  const rule = {
    lookup: createDnsLookup(),
    allowCidrs: settings.WEBHOOK_ALLOW_CIDRS,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
  };
  const database = await openDatabase({
    url: settings.DATABASE_URL,
    poolSize,
    applicationName: 'server',
    waits: serverWaits,
    byIndex: true,
  });
  resources.defer(() => database.close());
  await checkDatabase(database);
  const sender = createWebhookSender(rule);
  resources.defer(() => sender.close());
  const metrics = settings.METRICS_PORT ? createMetrics() : undefined;
  if (metrics && settings.METRICS_PORT) {
    const address = { host: settings.METRICS_HOST, port: settings.METRICS_PORT };
    resources.use(await serveMetrics(metrics, address));
  }
  return {
    database,
    clock,
    randomBytes,
    limiter: openLimiter(settings, { database, clock, logger, metrics }, resources),
    logger,
    mailer: createMailer(settings.SMTP_URL, `no-reply@${settings.PUBLIC_URL.hostname}`, logger),
    webhooks: { rule, secrets: createSecretBox(settings.SECRET_KEY, randomBytes), sender },
    metrics,
    config: {
      publicUrl: settings.PUBLIC_URL,
      trustProxy: settings.TRUST_PROXY,
      bodyLimitBytes: settings.BODY_LIMIT_BYTES,
      studioDir: builtStudio,
    },
  };
}

/** The limiter of the settings: of this process, or of all that share the database. */
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
