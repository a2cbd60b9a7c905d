import { removeDue } from '../shared/media/removals.ts';
import { watchStandstills } from '../shared/process/standstill.ts';
import { singleFlight } from '../shared/single-flight.ts';
import { createDispatcher, leaseMsOf } from './delivery/dispatcher.ts';
import { fanOut } from './delivery/fan-out.ts';
import { asked, scheduled } from './delivery/lanes.ts';
import { endStrayLeases, failExhausted, findAsked, findDue, hasOverdueEvents } from './delivery/sweep.ts';
import type { WorkerDeps } from './deps.ts';
import { startJobs } from './job-queue.ts';
import { makeSizes } from './media/make-sizes.ts';
import { removeLeftFolders } from './media/working-folder.ts';
import { publishScheduled } from './publish.ts';
import { startRepeating } from './repeat.ts';

/** How often what is due is looked for; a retry is late by at most this, and what its round takes. */
const sweepMs = 500;

/** How long after a standstill nobody's last attempt is given up: this process may have been the one who made it. */
const graceMs = 10_000;

export interface RunningWorker {
  /** Ends within the time-out of an attempt, if the database answers; what was not delivered waits there. */
  stop(): Promise<void>;
}

/**
 * Starts the worker: fan-out by jobs, delivery in rounds, a sweep for what jobs and dead workers left behind, and
 * publication of drafts whose moment has come, and smaller copies of images.
 * Rejects when the database can't be reached.
 */
export async function startWorker(deps: WorkerDeps): Promise<RunningWorker> {
  const { database, logger } = deps;
  const dispatcher = createDispatcher(deps, scheduled);
  const askedDispatcher = createDispatcher(deps, asked);
  const fanOutAll = singleFlight(() => fanOut(deps, dispatcher.wake));
  const jobs = await startJobs(deps, fanOutAll);
  const standstills = watchStandstills();
  const sweep = startRepeating(logger, 'a sweep failed and is tried again', async () => {
    if (!standstills.stoodStillSince(standstills.mark() - graceMs)) await failExhausted(database);
    await endStrayLeases(database, leaseMsOf(deps.timeoutMs));
    if (await hasOverdueEvents(database)) await fanOutAll();
    dispatcher.wake(await findDue(database));
    askedDispatcher.wake(await findAsked(database));
    return sweepMs;
  });
  const publishing = startRepeating(logger, 'publishing failed and is tried again', () =>
    publishScheduled(deps),
  );
  removeLeftFolders(new Date()).catch((err: unknown) =>
    logger.warn({ err }, 'the folders of images that killed workers left could not be removed'),
  );
  const stopping = new AbortController();
  const sizing = startRepeating(logger, 'making sizes of images failed and is tried again', () =>
    makeSizes(deps, stopping.signal),
  );
  const removing = startRepeating(logger, 'removing media failed and is tried again', () => removeDue(deps));
  return {
    async stop() {
      standstills.stop();
      stopping.abort();
      await Promise.all([
        dispatcher.stop(),
        askedDispatcher.stop(),
        sweep.stop(),
        publishing.stop(),
        sizing.stop(),
        removing.stop(),
        jobs.stop(),
      ]);
    },
  };
}
