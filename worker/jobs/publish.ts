import { publishDue, waitingDrafts } from '../../shared/content/schedule.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import { systemClock } from '../../shared/contract/timestamps.ts';
import type { Database } from '../../shared/db/config.ts';

/** Number of drafts per transaction. Each one updates the search index. */
const batchSize = 50;

/** Pause while another transaction holds the due drafts, in milliseconds. */
const busyMs = 25;

/**
 * Scheduler of drafts: publishes drafts of all sites that are due. Returns the pause before the next run in milliseconds: 0
 * after it published something, otherwise the time until the next draft is due. Null if none is scheduled.
 *
 * A scheduled draft waits until its publication time. The sweep of `worker.ts` starts a run shortly before the earliest
 * one. A run publishes one batch per collection. A collection that fails does not block the others: the run continues with
 * them, then rejects, and is retried.
 */
export async function publishScheduled({
  database,
  randomBytes,
}: {
  database: Database;
  randomBytes: RandomBytes;
}): Promise<number | null> {
  const { rows: waiting } = await waitingDrafts.execute(database.em.getKysely());
  const failures: unknown[] = [];
  let published = 0;
  for (const { collection, inMs } of waiting) {
    if (inMs > 0) continue;
    const due = { collection, max: batchSize };
    const batch = database.em
      .fork()
      .transactional((em) => publishDue(em, { clock: systemClock, randomBytes }, due));
    published += await batch.catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some scheduled drafts could not be published');
  if (published > 0) return 0;
  return waiting.length > 0
    ? Math.max(busyMs, Math.ceil(Math.min(...waiting.map(({ inMs }) => inMs))))
    : null;
}
