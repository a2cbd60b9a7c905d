import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type Clock, systemClock } from '../shared/contract/timestamps.ts';
import { checkDatabase } from '../shared/db/check-database.ts';
import { type Database, openDatabase } from '../shared/db/config.ts';
import { maxClockDifferenceMs, openDatabaseClock } from '../shared/db/database-clock.ts';
import { workerWaits } from '../shared/db/database-timeouts.ts';
import { requireMigrated } from '../shared/db/migrate.ts';
import { openMailRoute } from '../shared/mail/mail-route.ts';
import { createMailTransport, senderOf } from '../shared/mail/mailer.ts';
import { checkStoreIdentity } from '../shared/media/identity.ts';
import { openMediaStore } from '../shared/media/open-store.ts';
import { isMediaUnavailable } from '../shared/media/store.ts';
import { checkSecretKey } from '../shared/runtime/encrypted-columns.ts';
import { createLogger, type Logger } from '../shared/runtime/logger.ts';
import { createMetrics, serveMetrics } from '../shared/runtime/metrics-server.ts';
import { runUntilStopped } from '../shared/runtime/run-until-stopped.ts';
import { createSecretBox } from '../shared/runtime/secret-box.ts';
import { settingsOrExit } from '../shared/runtime/settings/read-settings.ts';
import { countsTestSales } from '../shared/selling/test-sales.ts';
import { createDnsLookup, createWebhookSender } from '../shared/webhooks/index.ts';
import { measureDeliveries, measureMailings } from './metrics.ts';
import { openMailings } from './newsletters/open-mailings.ts';
import { WorkerSettings } from './settings.ts';
import { startWorker } from './worker.ts';
// Loads the sender's HTTP connections with the worker. Otherwise they would load at the first delivery.
import '../shared/webhooks/connections.ts';

/**
 * Runs the worker until the process is stopped, and then exits the process. If it cannot start, it logs the reason and
 * exits with 1.
 */
export async function runWorker() {
  const settings = settingsOrExit(WorkerSettings, 'node worker/main.ts', process.env);
  const logger = createLogger(settings);
  await runUntilStopped(logger, ({ resources }) => work(settings, logger, resources)).catch(
    (err: unknown) => {
      logger.fatal({ err }, 'worker failed to start');
      process.exit(1);
    },
  );
}

/** Maximum number of database connections per worker process, in addition to those of the job queue. */
const poolSize = 5;

/**
 * Starts the worker on a migrated database. Disposing of `resources` finishes attempts in flight, stores their outcomes,
 * and closes the worker's connections. Throws an `Error` with instructions if the database is unusable or lacks migrations,
 * or if the metrics port is in use.
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
  // The port is one above the server's metrics port, because both often run on one machine with the same settings.
  if (settings.METRICS_PORT) {
    const address = { host: settings.METRICS_HOST, port: settings.METRICS_PORT + 1 };
    resources.use(await serveMetrics(registry, address));
  }
  const secrets = createSecretBox(settings.SECRET_KEY, randomBytes);
  await checkSecretKey({ database, secrets, logger });
  const media = openMediaStore(settings.MEDIA_URL, database);
  checkStoreIdentity({ database, media }).catch((err: unknown) => {
    if (isMediaUnavailable(err))
      logger.error(
        { err },
        'media store unavailable; image resizing and media removal wait until it is back',
      );
  });
  const route = openMailRoute(settings);
  const clock = resources.use(
    await openDatabaseClock({
      ...{ database, own: systemClock },
      noteApart: (moments) =>
        logger.warn(
          moments,
          "clock skew between this machine and the database; the database's clock is used",
        ),
    }),
  );
  const worker = await startWorker({
    database,
    clock,
    stripeApiBase: settings.STRIPE_API_BASE,
    databaseUrl: settings.DATABASE_URL,
    media,
    retentionCutoff: () => readRetentionCutoff(database, systemClock),
    randomBytes,
    logger,
    secrets,
    mailings: openMailings(settings, { route, database, secrets, randomBytes, logger }),
    sender,
    mail: createMailTransport(route, senderOf(settings.PUBLIC_URL), logger),
    publicUrl: settings.PUBLIC_URL,
    countsTest: countsTestSales(settings),
    retrySeconds: settings.WEBHOOK_RETRY_SECONDS,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
    onOutcome: measureDeliveries(registry, database),
    onAttempt: measureMailings(registry, database),
  });
  resources.defer(() => worker.stop());
  const { BOUNCE_PORT: port, BOUNCE_HOST: host, MAIL_BOUNCE_DOMAIN: domain } = settings;
  if (port && domain) {
    const { listenForBounces } = await import('./newsletters/bounces/listener.ts');
    resources.use(await listenForBounces({ database, secrets, logger }, { domain, host, port }));
  }
  logger.info('worker is delivering');
}

/**
 * Returns the cutoff for deleting expired rows: the earlier of this machine's clock and the database's, because a row
 * deleted too early is lost. Throws an `Error` if the clocks differ by more than `maxClockDifferenceMs`, since one of them
 * must be wrong.
 */
export async function readRetentionCutoff({ em }: Pick<Database, 'em'>, clock: Clock): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(em.fork().getKysely());
  const own = clock.now();
  const theirs = rows[0]?.at ?? own;
  const apartMs = Math.abs(own.getTime() - theirs.getTime());
  if (apartMs > maxClockDifferenceMs)
    throw new Error(
      `expired rows are not deleted: clock skew (this machine ${own.toISOString()}, database ${theirs.toISOString()})`,
    );
  return new Date(Math.min(own.getTime(), theirs.getTime()));
}
