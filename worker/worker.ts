import type { Logger } from 'pino';
import { removeDue } from '../shared/media/removals.ts';
import { singleFlight } from '../shared/runtime/single-flight.ts';
import { watchStandstills } from '../shared/runtime/standstill.ts';
import { createDispatcher, leaseMsOf } from './deliveries/dispatcher.ts';
import { fanOut } from './deliveries/fan-out.ts';
import { requested, scheduled } from './deliveries/queues.ts';
import { endStrayLeases, failLostLastAttempts } from './deliveries/sweep.ts';
import type { WorkerDeps } from './deps.ts';
import { makeSizes, removeLeftWork } from './images/make-sizes.ts';
import { findDue } from './jobs/due.ts';
import { publishScheduled } from './jobs/publish.ts';
import { createPreparer } from './newsletters/preparer.ts';
import { createMailingSender } from './newsletters/sender.ts';
import { startJobs } from './queue/job-queue.ts';

/** How often what is due is looked for; a retry is late by at most this, and what its round takes. */
const sweepMs = 500;

/** How long after a standstill nobody's last attempt is given up: this process may have been the one who made it. */
const graceMs = 10_000;

interface RunningWorker {
  /** Ends within the time-out of an attempt, if the database answers; what was not delivered waits there. */
  stop(): Promise<void>;
}

/**
 * Starts the worker: fan-out by jobs, delivery in rounds, publication of drafts whose moment has come,
 * smaller copies of images, and a sweep for what is due of all that, which jobs and dead workers left behind.
 * Rejects when the database can't be reached.
 */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { database, logger } = deps;
  const dispatcher = createDispatcher(deps, scheduled);
  const requestedDispatcher = createDispatcher(deps, requested);
  const fanOutAll = singleFlight(() => fanOut(deps, dispatcher.wake));
  const jobs = await startJobs(deps, fanOutAll);
  const standstills = watchStandstills();
  removeLeftWork().catch((err: unknown) =>
    logger.warn({ err }, 'deleting temporary image folders of killed workers failed'),
  );
  const stopping = new AbortController();
  const sitesServed = new Set<string>();
  const sizing = startRepeating(logger, 'resizing images failed; retrying', () =>
    makeSizes(deps, stopping.signal, sitesServed),
  );
  const removing = startRepeating(logger, 'deleting media failed; retrying', () => removeDue(deps));
  const publishing = startRepeating(logger, 'publishing scheduled drafts failed; retrying', async () => {
    const nextMs = await publishScheduled(deps);
    return nextMs !== null && nextMs < sweepMs ? nextMs : null;
  });
  const mailingSender = createMailingSender(deps);
  const preparer = createPreparer(deps);
  const leaseMs = leaseMsOf(deps.timeoutMs);
  const sweep = startRepeating(logger, 'sweep for due work failed; retrying', async () => {
    const due = await findDue(database, leaseMs);
    if (due.lost && !standstills.stoodStillSince(standstills.mark() - graceMs))
      await failLostLastAttempts(database);
    if (due.stray) await endStrayLeases(database, leaseMs);
    if (due.overdue) await fanOutAll();
    dispatcher.wake(due.scheduled);
    requestedDispatcher.wake(due.requested);
    if (due.drafts.some(({ inMs }) => inMs < sweepMs)) publishing.wake();
    mailingSender.wake(due.mailings.filter(({ is_to_prepare }) => !is_to_prepare));
    preparer.wake(due.mailings.filter(({ is_to_prepare }) => is_to_prepare));
    if (due.images) sizing.wake();
    if (due.removals) removing.wake();
    return sweepMs;
  });
  return {
    async stop() {
      standstills.stop();
      stopping.abort();
      const queues = [dispatcher, requestedDispatcher, mailingSender, preparer];
      await Promise.all([...queues, sweep, publishing, sizing, removing, jobs].map((part) => part.stop()));
    },
  };
}

/** Pause after a run that failed, such as while the database restarts. */
const failedMs = 250;

/**
 * Repeats `work`, which says how many milliseconds to pause before its next run, or null to wait until it is woken; a failed
 * run is logged as `failure`, and the next one tries again. Ends when the run under way has.
 */
function startRepeating(logger: Logger, failure: string, work: () => Promise<number | null>) {
  let state: 'running' | 'woken' | 'pausing' | 'waiting' | 'stopped' = 'waiting';
  let timer: NodeJS.Timeout | undefined;
  let current = Promise.resolve();
  const once = () => {
    state = 'running';
    current = work()
      .catch((error) => {
        logger.warn({ err: error }, failure);
        return failedMs;
      })
      .then((pauseMs) => {
        if (state === 'stopped') return;
        const wasWoken = state === 'woken';
        state = 'waiting';
        if (pauseMs === null) return wasWoken ? once() : undefined;
        state = 'pausing';
        timer = setTimeout(once, pauseMs);
      });
  };
  once();
  return {
    /** Ends a wait at once; a pause lasts as long as was said. */
    wake() {
      if (state === 'waiting') once();
      else if (state === 'running') state = 'woken';
    },
    async stop() {
      state = 'stopped';
      clearTimeout(timer);
      await current;
    },
  };
}
