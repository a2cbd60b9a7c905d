import { sql } from 'kysely';
import { retentionDays } from '../shared/contract/limits.ts';
import type { Database } from '../shared/db/config.ts';
import { purge } from '../shared/trash/trash.ts';

/** Records of one transaction, so that no lock is held for long. */
const batchSize = 100;

/** Removes for good what has been in the trash for its time, site by site. */
export async function emptyTrash({ em }: Database, now: Date): Promise<void> {
  const where = sql`deleted <= ${new Date(now.getTime() - retentionDays.trash * 86_400_000)}`;
  const { rows: sites } = await sql<{ site_id: string }>`
    select distinct site_id from trash where ${where}`.execute(em.fork().getKysely());
  for (const { site_id: siteId } of sites)
    for (let purged = batchSize; purged === batchSize; )
      purged = await em.fork().transactional((em) => purge(em, { siteId, where, most: batchSize }));
}
