import { sql } from 'kysely';
import { scheduledCollections } from '../../../shared/contract/resources/index.ts';
import type { Database } from '../../../shared/db/config.ts';

const drafts = scheduledCollections.map(
  (collection) => sql`select from ${sql.table(collection)} where publish_at is not null`,
);

/** What reaches others by itself, and SQL for the rows of it that a worker has yet to see to. */
const kinds = [
  [
    'webhook events and deliveries',
    sql`select from events where awaits_fan_out union all select from webhook_deliveries where due_at is not null`,
  ],
  ['newsletters', sql`select from mailings where status in ('scheduled', 'preparing', 'sending')`],
  ['scheduled posts and pages', sql.join(drafts, sql` union all `)],
] as const;

/** What a worker goes on with as soon as it runs, which another installation of the same rows does, too; null for nothing. */
export async function findUnderWay({ em }: Database): Promise<string | null> {
  const found: string[] = [];
  for (const [what, rows] of kinds) {
    const counted = await sql<{ count: number }>`select count(*)::int from (${rows}) as r`.execute(
      em.getKysely(),
    );
    const [{ count } = { count: 0 }] = counted.rows;
    if (count > 0) found.push(`${count} ${what}`);
  }
  return found.length > 0 ? found.join(', ') : null;
}
