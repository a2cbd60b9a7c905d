import { sql } from 'kysely';
import { purge } from '../shared/content/trash.ts';
import { retentionDays } from '../shared/contract/limits.ts';
import type { Database } from '../shared/db/config.ts';

/** Records of one transaction, so that no lock is held for long. */
const batchSize = 100;

/** Removes for good what has been in the trash for its time. */
export async function emptyTrash({ em }: Database, now: Date): Promise<void> {
  const where = sql`deleted <= ${new Date(now.getTime() - retentionDays.trash * 86_400_000)}`;
  for (let purged = batchSize; purged === batchSize; )
    purged = await em.fork().transactional((em) => purge(em, { where, most: batchSize }));
}
