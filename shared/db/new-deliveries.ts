import { type Kysely, sql } from 'kysely';
import { webhookLimits as webhooks } from '../contract/features/webhooks.ts';
import { newRecordId, type RandomBytes } from '../contract/record-id.ts';
import { preparedStatement } from './client.ts';
import type { SubscriptionKey } from './webhook-subscriptions.ts';

/** An event on its way to a subscription. */
export interface NewDelivery extends SubscriptionKey {
  event_id: string;
  event: string;
}

interface Begin {
  /** Whether the first attempt is made for a replay, instead of by itself. */
  inReplay: boolean;
  randomBytes: RandomBytes;
}

/** Writes deliveries to be attempted now. Of an event and a subscription that have one already, no second is made. */
export async function insertDeliveries<DB>(
  db: Kysely<DB>,
  deliveries: readonly NewDelivery[],
  { inReplay, randomBytes }: Begin,
): Promise<number> {
  if (deliveries.length === 0) return 0;
  const now = new Date();
  const column = (name: keyof NewDelivery) => deliveries.map((delivery) => delivery[name]);
  const [due_at, asked_at] = inReplay ? [sql`null`, sql`now()`] : [sql`now()`, sql`null`];
  const { numAffectedRows = 0n } = await sql`${preparedStatement}
    insert into webhook_deliveries
      (id, site_id, subscription_id, event_id, event, status, attempt_count, attempt_limit, due_at, asked_at, in_replay, created, updated)
    select n.*, 'pending', 0, ${webhooks.attempts}::integer, ${due_at}::timestamptz, ${asked_at}::timestamptz, ${inReplay}::boolean, now(), now()
    from unnest(${deliveries.map(() => newRecordId(now, randomBytes))}::text[], ${column('site_id')}::text[],
      ${column('subscription_id')}::text[], ${column('event_id')}::text[], ${column('event')}::text[]) as n
    on conflict (site_id, subscription_id, event_id) do nothing`.execute(db);
  return Number(numAffectedRows);
}
