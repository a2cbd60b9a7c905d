import { randomBytes } from 'node:crypto';
import { checkDatabase } from '../shared/db/check-database.ts';
import { openDatabase } from '../shared/db/config.ts';
import type { Logger } from '../shared/process/logger.ts';
import { createMetrics, serveMetrics } from '../shared/process/metrics-server.ts';
import { createDnsLookup } from '../shared/webhooks/lookup.ts';
import { createSecretBox } from '../shared/webhooks/secret-box.ts';
import { createWebhookSender } from '../shared/webhooks/send.ts';
import { buildApp } from './app.ts';
import type { World } from './deps.ts';
import { createMemoryRateLimiter } from './http/memory-rate-limiter.ts';
import { type Address, listen } from './listen.ts';
import { createMailer } from './mailer.ts';
import type { ServerSettings } from './settings.ts';
import { tierSizes } from './tier-settings.ts';

/** Most database connections of one server process. */
const poolSize = 20;

/** Requests that run when the server is stopped are cut off after this time. */
const graceMs = 10_000;

/**
 * Serves over a database that is up to date. The answer stops it: requests under way are finished first.
 *
 * @throws with what to do when migrations are pending, or the address can't be listened on
 */
export async function serve(world: World, address: Address): Promise<() => Promise<void>> {
  const pending = await world.database.migrator.getPending();
  if (pending.length > 0) {
    const names = pending.map(({ name }) => name).join(', ');
    throw new Error(
      `The database lacks migrations (${names}): run \`npx -y pnpm ops migrate\`, then start again.`,
    );
  }
  const app = buildApp(world);
  await listen(app, address);
  return async () => {
    const impatience = setTimeout(() => app.server.closeAllConnections(), graceMs);
    await app.close();
    clearTimeout(impatience);
  };
}

/**
 * What the server reaches the world through, as its settings say; its connections are ended with `resources`.
 *
 * @throws with what to do when the database can't be used, or the metrics' port is taken
 */
export async function openWorld(
  settings: ServerSettings,
  logger: Logger,
  resources: AsyncDisposableStack,
): Promise<World> {
  const clock = { now: () => new Date() };
  const rule = {
    lookup: createDnsLookup(),
    allowCidrs: settings.WEBHOOK_ALLOW_CIDRS,
    timeoutMs: settings.WEBHOOK_TIMEOUT_MS,
  };
  const database = await openDatabase({ url: settings.DATABASE_URL, poolSize, applicationName: 'server' });
  resources.defer(() => database.close());
  await checkDatabase(database);
  const sender = createWebhookSender(rule);
  resources.defer(() => sender.close());
  const metrics = settings.METRICS_PORT ? createMetrics() : undefined;
  if (metrics && settings.METRICS_PORT) resources.use(await serveMetrics(metrics, settings.METRICS_PORT));
  return {
    database,
    clock,
    randomBytes,
    limiter: createMemoryRateLimiter(tierSizes(settings), clock),
    logger,
    mailer: createMailer(settings.SMTP_URL, `no-reply@${settings.PUBLIC_URL.hostname}`, logger),
    webhooks: { rule, secrets: createSecretBox(settings.SECRET_KEY, randomBytes), sender },
    metrics,
    config: {
      publicUrl: settings.PUBLIC_URL,
      trustProxy: settings.TRUST_PROXY,
      bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    },
  };
}
