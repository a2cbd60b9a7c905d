import { sql } from 'kysely';
import { retentionDays } from '../shared/contract/limits.ts';
import type { Database } from '../shared/db/config.ts';
import { purge } from '../shared/trash/trash.ts';

/** Removes for good what has been in the trash for its time, site by site, a few in each transaction: none is open for long. */
export async function emptyTrash({ em }: Database, now: Date): Promise<void> {
  const where = sql`deleted <= ${new Date(now.getTime() - retentionDays.trash * 86_400_000)}`;
  const { rows: sites } = await sql<{ site_id: string }>`
    select distinct site_id from trash where ${where}`.execute(em.fork().getKysely());
  for (const { site_id: siteId } of sites)
    while ((await em.fork().transactional((em) => purge(em, { siteId, where }))) > 0);
}
