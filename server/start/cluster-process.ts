import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Registry } from 'prom-client';
import { requireMigrated } from '../../shared/db/migrate.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { createMetrics } from '../../shared/runtime/metrics-server.ts';
import { runUntilStopped } from '../../shared/runtime/run-until-stopped.ts';
import { createDeps, openInfrastructure } from './compose.ts';
import { serverSettings } from './env.ts';
import { serve } from './serve.ts';
import { metricsQuestion } from './sum-metrics.ts';

/**
 * Time for idle kept-alive connections when this process ends, in milliseconds. Other processes keep serving, so it can
 * be long.
 */
const idleMs = 3_000;

/**
 * Runs one of several server processes until its parent ends the channel between them. If it cannot start, it logs the
 * reason and exits with 1.
 */
export async function runClusterProcess() {
  // Node ends a cluster process immediately when its channel ends; this one must finish its requests first.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  const settings = serverSettings();
  const logger = createLogger(settings);
  const metrics = settings.METRICS_PORT ? createMetrics() : undefined;
  if (metrics) answerMetrics(metrics);
  const start: Parameters<typeof runUntilStopped>[1] = async ({ resources }) => {
    const deps = createDeps(await openInfrastructure(settings, { logger, metrics }, resources));
    const prepared = requireMigrated(deps.database, logger);
    const serving = serve(deps, settings, { prepared, lastIdleMs: idleMs });
    resources.defer(await Promise.race([serving, endOfChannel()]));
  };
  await runUntilStopped(logger, start, 'ignored').catch((err: unknown) => {
    logger.fatal({ err }, 'server process failed to start');
    process.exit(1);
  });
}

/** Throws when the channel ends during startup: the parent would have to provide the socket. */
async function endOfChannel(): Promise<never> {
  if (process.connected) await once(process, 'disconnect');
  throw new Error('the parent process has ended');
}

/** Sends metrics on request. It sends nothing if collecting fails; the parent then uses the previous values. */
function answerMetrics(registry: Registry) {
  process.on('message', (message) => {
    if (message !== metricsQuestion) return;
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.(metrics),
      () => {},
    );
  });
}
