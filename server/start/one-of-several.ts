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
import { metricsQuestion } from './summed-metrics.ts';

/** While others serve there is no hurry: a kept connection ends with its next answer, or when it was not used for this long. */
const idleMs = 3_000;

/** Runs one of several server processes until the one that started it ends the channel between them. */
export async function runOneOfSeveral() {
  // Node ends a cluster's process at once when its channel ends; this one finishes what it has begun.
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

/** Without the channel nobody answers which socket to listen on. */
async function endOfChannel(): Promise<never> {
  if (process.connected) await once(process, 'disconnect');
  throw new Error('the parent process has ended');
}

/** Says nothing when something can't be measured: what it said before then stands. */
function answerMetrics(registry: Registry) {
  process.on('message', (message) => {
    if (message !== metricsQuestion) return;
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.(metrics),
      () => {},
    );
  });
}
