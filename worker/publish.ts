import { findWaiting, publishDue } from '../shared/content/schedule.ts';
import { systemClock } from '../shared/contract/moments.ts';
import type { RandomBytes } from '../shared/contract/record-id.ts';
import type { Database } from '../shared/db/config.ts';

/** Drafts of one transaction. */
const batchSize = 200;

/** How often moments that were set meanwhile are looked for: a draft is late by at most this, and what it takes. */
const mostPauseMs = 500;

/** Pause while somebody else holds what is due. */
const busyMs = 25;

interface PublishingDeps {
  database: Database;
  randomBytes: RandomBytes;
}

/**
 * Publishes drafts of all sites whose moment has come, a batch of each collection; says when there may be more. A collection
 * that fails holds up no other: it rejects once all had their turn.
 */
export async function publishScheduled({ database, randomBytes }: PublishingDeps): Promise<number> {
  const waiting = await findWaiting(database.em);
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
  if (failures.length > 0) throw new AggregateError(failures, 'drafts that are due could not be published');
  if (published > 0) return 0;
  return Math.min(mostPauseMs, ...waiting.map(({ inMs }) => Math.max(Math.ceil(inMs), busyMs)));
}
