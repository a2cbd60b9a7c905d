import { IsolationLevel } from '@mikro-orm/core';
import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { Delivery, DeliveryAttempt, type deliveryQuery } from '../../../shared/contract/features/webhooks.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { nextAttemptAt } from '../../../shared/db/delivery-queue.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import type { SubscriptionKey, WebhookTables } from '../../../shared/db/webhook-subscriptions.ts';
import { found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';

/** Columns of a delivery that are returned as stored. */
const stored = namesOf(Delivery.omit({ next_attempt_at: true }));

/**
 * Lists one page of a subscription's deliveries, newest first, and the number of all matching ones. Empty for an unknown
 * subscription.
 */
export async function listDeliveries(
  { database }: Deps,
  { site_id: siteId, subscription_id }: SubscriptionKey,
  { page, per_page, status }: z.output<z.ZodObject<typeof deliveryQuery>>,
) {
  const deliveries = database.em.getKysely().selectFrom('webhook_deliveries');
  const own = deliveries.where('site_id', '=', siteId).where('subscription_id', '=', subscription_id);
  const rows = own.select([...stored, nextAttemptAt.as('next_attempt_at')]);
  const where = status ? [sql<SqlBool>`status = any(${status}::text[])`] : [];
  const { items, total } = await newestPage({ database, siteId, rows, where }, { page, per_page });
  return { data: items, page, per_page, total };
}

/** SQL: request body of delivery `d`; null if its event is past its retention. */
export const deliveryBody = sql<string | null>`coalesce(d.body, (
  select e.body from events e where e.site_id = d.site_id and e.id = d.event_id
    and e.occurred_at >= now() - ${retentionDays.events} * interval '1 day'
))`;

/**
 * Returns a delivery with its body and attempts, from one snapshot. The body is null if its event is past its
 * retention. Throws `not_found`.
 */
export function getDelivery({ database }: Deps, of: SubscriptionKey, id: string) {
  const snapshot = { isolationLevel: IsolationLevel.REPEATABLE_READ };
  return database.em.fork().transactional(async (em) => {
    const db = em.getKysely<WebhookTables>();
    const record = await db
      .selectFrom('webhook_deliveries as d')
      .select([...stored, nextAttemptAt.as('next_attempt_at'), deliveryBody.as('body')])
      .where('d.site_id', '=', of.site_id)
      .where('d.subscription_id', '=', of.subscription_id)
      .where('d.id', '=', id)
      .executeTakeFirst();
    const attempts = await db
      .selectFrom('webhook_attempts')
      .select(namesOf(DeliveryAttempt))
      .where('site_id', '=', of.site_id)
      .where('delivery_id', '=', id)
      .orderBy('attempt')
      .execute();
    return { ...found(record), attempts };
  }, snapshot);
}
