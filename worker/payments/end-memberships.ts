import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { isOver } from '../../shared/selling/entitlements.ts';

/**
 * Ends memberships of all sites that closed and whose payments are not followed any more, such as those of a replaced account. Lists,
 * pages and exports then show them as ended. The query repeats conditions of `isOver`, so that it uses `memberships_closing_idx`.
 */
export async function endMemberships({ em }: Database, now: Date): Promise<void> {
  await sql`
    update memberships m set state = 'ended', updated = greatest(${now}::timestamptz, m.updated + interval '1 millisecond')
    where m.state <> 'ended' and m.open_until <= ${now} and m.provider in ('demo', 'stripe') and ${isOver(now)}`.execute(
    em.fork().getKysely(),
  );
}
