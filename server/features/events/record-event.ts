import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type NewEvent, patternsFor } from '../../../shared/contract/events.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { addJob } from '../../../shared/db/add-job.ts';
import { preparedStatement } from '../../../shared/db/prepared-statement.ts';
import type { StoreDeps } from '../../kernel/deps.ts';

/**
 * Records an event inside the transaction of what it tells of: both are kept, or neither is. Call it after that write
 * has been flushed (`event-log.ts` relies on it). The body is stored as the very text that deliveries send and sign.
 * When an active subscription matches, one job wakes the worker; with none, there is no job.
 */
export async function recordEvent(
  em: EntityManager,
  deps: StoreDeps,
  { siteId, name, data }: NewEvent & { siteId: string },
) {
  const id = newRecordId(deps.clock.now(), deps.randomBytes);
  await sql`${preparedStatement}
    with recorded as (
      insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
      select ${siteId}, ${id}, ${name},
        format('{"event":"%s","timestamp":"%s","data":%s}',
          ${name}::text, to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), ${JSON.stringify(data)}::text),
        moment,
        exists (select from webhook_subscriptions where site_id = ${siteId} and active and events && ${patternsFor(name)})
      from clock_timestamp() as moment
      returning awaits_fan_out
    )
    select ${addJob('fan_out_event', { site_id: siteId, event_id: id })} from recorded where awaits_fan_out`.execute(
    em.getKysely(),
  );
}
