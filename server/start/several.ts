import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/runtime/logger.ts';
import { openMetrics, serveMetrics } from '../../shared/runtime/metrics-server.ts';
import type { Deps } from '../api/deps.ts';
import { createDeps, openInfrastructure } from './compose.ts';
import { serve } from './serve.ts';
import type { ServerSettings } from './settings.ts';
import { sumMetrics } from './summed-metrics.ts';

const entry = fileURLToPath(new URL('../process.ts', import.meta.url));

/** After a process that could not even start. */
const pauseMs = 1_000;

/** A process ends itself before, unless it stands still. */
const longestEndMs = 13_000;

/**
 * Serves in this process, or in several whose variables `environment` overrides. Returns the result of `prepare`, which runs once,
 * in this process, before any request is answered, and a function that stops serving.
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
  // The owner was made by `prepare`: no process is to make it again.
  const several = { ...environment, OWNER_EMAIL: '', OWNER_PASSWORD: '' };
  const closeServer = await serveInSeveral(settings, several, logger, resources);
  return { prepared, closeServer };
}

/**
 * Serves in several processes on one port, over a database that is up to date. One that ends by itself is replaced; at
 * SIGHUP all are, one by one. The answer ends them: requests under way are finished first.
 *
 * All take connections from the same socket, which this process keeps open without using it: whichever of them ends, what
 * waits there is taken by the others.
 *
 * @throws when a process can't start, for a reason that it has logged, or the metrics' port is taken
 */
async function serveInSeveral(
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
      // What was told to end is none of them any more.
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
    await metrics.ask(worker);
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

/** By the end of its channel: with the last one this process gives up the socket, and what waits is left to them. */
async function end(worker: Worker) {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), longestEndMs);
  if (worker.isConnected()) worker.process.disconnect();
  await ended;
  clearTimeout(timer);
}

/** SIGHUP asks for new processes, unless it says that the terminal is gone; those that come meanwhile wait. */
function onReload(reload: () => Promise<void>) {
  if (process.stdout.isTTY) return;
  let done = Promise.resolve();
  process.on('SIGHUP', () => {
    done = done.then(reload);
  });
}
