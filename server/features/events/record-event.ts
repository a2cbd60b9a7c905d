import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { recordedEvents, type SiteEvent } from '../../../shared/content/write.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { StoreDeps } from '../../kernel/deps.ts';

/**
 * Records an event inside the transaction of what it tells of: both are kept, or neither is. Call it after that write
 * has been flushed (`event-log.ts` relies on it).
 */
export async function recordEvent(em: EntityManager, deps: StoreDeps, event: SiteEvent) {
  const { parts, wake } = recordedEvents(deps, { events: [event] });
  await sql`${preparedStatement} with ${parts} ${wake}`.execute(em.getKysely());
}
