import type { Logger } from 'pino';
import { removeDue } from '../shared/media/removals.ts';
import { singleFlight } from '../shared/runtime/single-flight.ts';
import { detectStalls } from '../shared/runtime/stall-detector.ts';
import { createDispatcher, leaseMsOf } from './deliveries/dispatcher.ts';
import { fanOut } from './deliveries/fan-out.ts';
import { requested, scheduled } from './deliveries/queues.ts';
import { endInvalidLeases, failLostLastAttempts } from './deliveries/sweep.ts';
import type { WorkerDeps } from './deps.ts';
import { makeRenditions, removeLeftWork } from './images/make-renditions.ts';
import { findDue } from './jobs/find-due.ts';
import { publishScheduled } from './jobs/publish.ts';
import { createPreparer } from './newsletters/mailing-preparer.ts';
import { createMailingSender } from './newsletters/sender.ts';
import { createPaymentSync } from './payments/payments.ts';
import { startJobs } from './queue/job-queue.ts';

/** Interval of the sweep for due work, in milliseconds. A retry is late by at most this interval and one round. */
const sweepMs = 500;

/**
 * Time after a stall during which deliveries with a lost last attempt are not failed, in milliseconds. This process
 * itself may still be making the attempt.
 */
const graceMs = 10_000;

interface RunningWorker {
  /** Stops within the timeout of an attempt, if the database answers. Undelivered events stay in the database. */
  stop(): Promise<void>;
}

/**
 * Starts the worker and its parts. Rejects if the database is unreachable.
 *
 * Jobs fan out events, send transactional email and delete expired rows. The dispatchers deliver webhooks, and the
 * mailing sender and the preparer send newsletters. The payment sync follows sales. Repeating tasks publish scheduled drafts, resize images and delete
 * media.
 *
 * A sweep looks for due work twice a second, including work that lost jobs and dead workers left behind, and wakes
 * these parts. A part that is not woken is idle: it is woken by the sweep, by a job, or by itself when it is due again.
 */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { database, logger } = deps;
  const dispatcher = createDispatcher(deps, scheduled);
  const requestedDispatcher = createDispatcher(deps, requested);
  const fanOutAll = singleFlight(() => fanOut(deps, dispatcher.wake));
  const jobs = await startJobs(deps, fanOutAll);
  const stalls = detectStalls();
  removeLeftWork().catch((err: unknown) =>
    logger.warn({ err }, 'deleting temporary image folders of killed workers failed'),
  );
  const stopping = new AbortController();
  const sitesServed = new Set<string>();
  const sizing = startRepeating(logger, 'resizing images failed; retrying', () =>
    makeRenditions(deps, stopping.signal, sitesServed),
  );
  const removing = startRepeating(logger, 'deleting media failed; retrying', () => removeDue(deps));
  const publishing = startRepeating(logger, 'publishing scheduled drafts failed; retrying', async () => {
    const nextMs = await publishScheduled(deps);
    return nextMs !== null && nextMs < sweepMs ? nextMs : null;
  });
  const mailingSender = createMailingSender(deps);
  const preparer = createPreparer(deps);
  const payments = createPaymentSync(deps);
  const leaseMs = leaseMsOf(deps.timeoutMs);
  const sweep = startRepeating(logger, 'sweep for due work failed; retrying', async () => {
    const due = await findDue(deps, leaseMs);
    if (due.lost && !stalls.hasStalledSince(stalls.mark() - graceMs)) await failLostLastAttempts(database);
    if (due.invalid_lease) await endInvalidLeases(database, leaseMs);
    if (due.overdue) await fanOutAll();
    dispatcher.wake(due.scheduled);
    requestedDispatcher.wake(due.requested);
    if (due.drafts.some(({ inMs }) => inMs < sweepMs)) publishing.wake();
    mailingSender.wake(due.mailings.filter(({ is_to_prepare }) => !is_to_prepare));
    preparer.wake(due.mailings.filter(({ is_to_prepare }) => is_to_prepare));
    payments.wake(due.payments);
    if (due.images) sizing.wake();
    if (due.removals) removing.wake();
    return sweepMs;
  });
  return {
    async stop() {
      stalls.stop();
      stopping.abort();
      const queues = [dispatcher, requestedDispatcher, mailingSender, preparer, payments];
      await Promise.all([...queues, sweep, publishing, sizing, removing, jobs].map((part) => part.stop()));
    },
  };
}

/** Pause after a failed run, in milliseconds, for example while the database restarts. */
const failedMs = 250;

/**
 * Repeats `work`, which returns the pause before its next run in milliseconds, or null to wait until woken. A failed
 * run is logged with the message `failure` and repeated after `failedMs`.
 *
 * States: `running` becomes `woken` if it is woken during a run. After the run it is `pausing` or `waiting`; a woken
 * run that returned null starts again. `stopped` is final.
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
    /** Starts a run immediately while the loop waits, or after the current run. A pause is not shortened. */
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
