import { publishDue, waitingDrafts } from '../../shared/content/schedule.ts';
import { systemClock } from '../../shared/contract/moments.ts';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import type { Database } from '../../shared/db/config.ts';

/** Drafts of one transaction: the words of each are put into an index. */
const batchSize = 50;

/** Pause while somebody else holds what is due. */
const busyMs = 25;

/**
 * Publishes drafts of all sites whose moment has come, a batch of each collection; says when the next one is due, if any. A
 * collection that fails holds up no other: it rejects once all had their turn.
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
    const due = { collection, most: batchSize };
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
