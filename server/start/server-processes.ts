import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/runtime/logger.ts';
import { openMetrics, serveMetrics } from '../../shared/runtime/metrics-server.ts';
import { replaceFiles } from '../../shared/runtime/settings/settings-from-files.ts';
import type { Deps } from '../api/deps.ts';
import { createDeps, openInfrastructure } from './compose.ts';
import { serve } from './serve.ts';
import type { ServerSettings } from './settings.ts';
import { sumMetrics } from './sum-metrics.ts';

const entry = fileURLToPath(new URL('../process.ts', import.meta.url));

/** Delay before another attempt to start a process that failed to start, in milliseconds. */
const pauseMs = 1_000;

/** Time after which an ending process is killed, in milliseconds. It ends earlier unless it is stalled. */
const maxEndMs = 13_000;

/**
 * Serves in this process, or in several whose variables `environment` overrides. Returns the result of `prepare`, which
 * runs once, in this process, before any request is answered, and a function that stops serving.
 */
export async function servePrepared<Prepared>(
  settings: ServerSettings,
  logger: Logger,
  prepare: (deps: Deps) => Promise<Prepared>,
  resources: AsyncDisposableStack,
  environment: Record<string, string> = {},
) {
  if (settings.WEB_CONCURRENCY === 1) {
    const metrics = await openMetrics(settings, resources);
    const deps = createDeps(await openInfrastructure(settings, { logger, metrics }, resources));
    const prepared = prepare(deps);
    const closeServer = await serve(deps, settings, { prepared });
    return { prepared: await prepared, closeServer };
  }
  await using meanwhile = new AsyncDisposableStack();
  const prepared = await prepare(createDeps(await openInfrastructure(settings, { logger }, meanwhile)));
  await meanwhile.disposeAsync();
  // `prepare` already created the owner; the processes must not create it again.
  const processEnvironment = replaceFiles({ ...environment, OWNER_EMAIL: '', OWNER_PASSWORD: '' });
  const closeServer = await serveInProcesses(settings, processEnvironment, logger, resources);
  return { prepared, closeServer };
}

/**
 * Cluster: serves in several processes on one port, over an up-to-date database. Each process moves through these
 * states:
 *
 *   starting ──listening──▶ serving ──exits unexpectedly──▶ replaced (a new process starts, every second until it succeeds)
 *      │                       ├──SIGHUP──▶ retiring, after its successor is serving
 *      │                       └──stop──▶ ending
 *      └──exits──▶ failed (at startup: throws; on SIGHUP: the remaining processes keep serving)
 *   retiring, ending ──requests finished, or killed after 13 s──▶ gone
 *
 * All processes accept connections from one socket, which this process holds open without using it. When a process
 * ends, the others accept its waiting connections. Metrics of ended processes stay in the sums (`sum-metrics.ts`).
 *
 * Returns a function that ends all processes. Throws if a process cannot start, for a reason that it logged, or if the
 * metrics port is taken.
 */
async function serveInProcesses(
  settings: ServerSettings,
  environment: Record<string, string>,
  logger: Logger,
  resources: AsyncDisposableStack,
): Promise<() => Promise<void>> {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: entry });
  const serving = new Set<Worker>();
  const metrics = sumMetrics(() => serving);
  let ending = false;

  const start = async () => {
    const worker = cluster.fork(environment);
    const ended = once(worker, 'exit');
    await Promise.race([once(worker, 'listening'), ended]);
    if (worker.isDead()) throw new Error('server process failed to start');
    serving.add(worker);
    void ended.then(() => {
      metrics.keep(worker);
      // Retired and ending processes are no longer in `serving`, so they are not replaced.
      if (serving.delete(worker)) void replace(worker);
    });
  };
  const replace = async (worker: Worker) => {
    const { pid, exitCode, signalCode } = worker.process;
    if (ending) return;
    logger.error(
      { process: pid, exitCode, signalCode },
      'server process ended unexpectedly; starting a replacement',
    );
    while (!ending && !(await start().then(isDone, isNotDone))) await delay(pauseMs);
  };
  const retire = async (worker: Worker) => {
    serving.delete(worker);
    await metrics.request(worker);
    await end(worker);
  };
  const roll = async () => {
    for (const old of [...serving]) {
      if (ending) return;
      await start();
      await retire(old);
    }
    logger.info('all server processes restarted');
  };

  if (settings.METRICS_PORT) {
    const address = { host: settings.METRICS_HOST, port: settings.METRICS_PORT };
    resources.use(await serveMetrics(metrics, address));
  }
  await Promise.all(Array.from({ length: settings.WEB_CONCURRENCY }, start));
  onReload(async () => {
    await roll().catch((err: unknown) => {
      if (!ending) logger.error({ err }, 'restart of server processes failed; the others keep running');
    });
  });
  return async () => {
    ending = true;
    await Promise.all(
      Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? [end(worker)] : [])),
    );
  };
}

const isDone = () => true;
const isNotDone = () => false;

/** Ends a process by closing its channel. It then stops accepting; waiting connections stay for the other processes. */
async function end(worker: Worker) {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), maxEndMs);
  if (worker.isConnected()) worker.process.disconnect();
  await ended;
  clearTimeout(timer);
}

/** Calls `reload` on SIGHUP, one call at a time. On a terminal, SIGHUP means that the terminal was closed. */
function onReload(reload: () => Promise<void>) {
  if (process.stdout.isTTY) return;
  let done = Promise.resolve();
  process.on('SIGHUP', () => {
    done = done.then(reload);
  });
}
