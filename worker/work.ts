import { randomBytes } from 'node:crypto';
import { systemClock } from '../shared/contract/moments.ts';
import { checkDatabase } from '../shared/db/check-database.ts';
import { openDatabase } from '../shared/db/config.ts';
import { requireMigrated } from '../shared/db/migrate.ts';
import { workerWaits } from '../shared/db/waits.ts';
import { warnOfOtherKey } from '../shared/lasting-secrets.ts';
import { createMailTransport, senderOf } from '../shared/mail/mailer.ts';
import { openMailRoute } from '../shared/mail/route.ts';
import { checkMarked } from '../shared/media/identity.ts';
import { openMediaStore } from '../shared/media/open-store.ts';
import { isMediaAway } from '../shared/media/store.ts';
import type { Logger } from '../shared/process/logger.ts';
import { createMetrics, serveMetrics } from '../shared/process/metrics-server.ts';
import { createSecretBox } from '../shared/secret-box.ts';
import { createDnsLookup } from '../shared/webhooks/target.ts';
// With the worker: the sender loads it when it first sends, which all workers do.
import '../shared/webhooks/connections.ts';
import { createWebhookSender } from '../shared/webhooks/send.ts';
import { agreedMoment } from './agreed-moment.ts';
import { openMailings } from './mailings/open.ts';
import { measureDeliveries, measureMailings } from './metrics.ts';
import type { WorkerSettings } from './settings.ts';
import { startWorker } from './worker.ts';

/** Most database connections of one worker process, besides the job queue's own. */
const poolSize = 5;

/**
 * Starts the worker over a database that is up to date; it is ended with `resources`: attempts under way are finished
 * and written, then its connections are closed.
 *
 * @throws with what to do when the database can't be used or lacks migrations, or the metrics' port is taken
 */
export async function work(settings: WorkerSettings, logger: Logger, resources: AsyncDisposableStack) {
  const [database] = await Promise.all([
    openDatabase({
      url: settings.DATABASE_URL,
      poolSize,
      applicationName: 'worker',
      waits: workerWaits,
      byIndex: true,
    }),
    checkDatabase(settings.DATABASE_URL, logger),
  ]);
  resources.defer(() => database.close());
  await requireMigrated(database, logger);
  const registry = createMetrics();
  const sender = createWebhookSender({
    lookup: createDnsLookup(),
    allowCidrs: settings.WEBHOOK_ALLOW_CIDRS,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
  });
  resources.defer(() => sender.close());
  // One above the server's, which is likely to run on the same machine with the same settings.
  if (settings.METRICS_PORT) {
    const address = { host: settings.METRICS_HOST, port: settings.METRICS_PORT + 1 };
    resources.use(await serveMetrics(registry, address));
  }
  const secrets = createSecretBox(settings.SECRET_KEY, randomBytes);
  await warnOfOtherKey({ database, secrets, logger });
  const media = openMediaStore(settings.MEDIA_URL, database);
  checkMarked({ database, media }).catch((err: unknown) => {
    if (isMediaAway(err))
      logger.error(
        { err },
        'media store unavailable; image resizing and media removal wait until it is back',
      );
  });
  const route = openMailRoute(settings);
  const worker = await startWorker({
    database,
    databaseUrl: settings.DATABASE_URL,
    media,
    retentionMoment: () => agreedMoment(database, systemClock),
    randomBytes,
    logger,
    secrets,
    mailings: openMailings(settings, { route, database, secrets, randomBytes, logger }),
    sender,
    mail: createMailTransport(route, senderOf(settings.PUBLIC_URL), logger),
    publicUrl: settings.PUBLIC_URL,
    retrySeconds: settings.WEBHOOK_RETRY_SECONDS,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    onOutcome: measureDeliveries(registry, database),
    onAttempt: measureMailings(registry, database),
  });
  resources.defer(() => worker.stop());
  const { BOUNCE_PORT: port, BOUNCE_HOST: host, MAIL_BOUNCE_DOMAIN: domain } = settings;
  if (port && domain) {
    const { listenForBounces } = await import('./bounces/listener.ts');
    resources.use(await listenForBounces({ database, secrets, logger }, { domain, host, port }));
  }
  logger.info('worker is delivering');
}
