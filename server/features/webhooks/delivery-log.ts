import { namesOf } from '../../../shared/contract/names-of.ts';
import { Delivery } from '../../../shared/contract/webhooks.ts';
import { nextAttemptAt } from '../../../shared/db/delivery-queue.ts';
import type { Deps } from '../../kernel/deps.ts';
import { newestPage } from '../../kernel/newest-page.ts';

/** What a delivery record shows as it is stored: all but one field. */
const stored = namesOf(Delivery.omit({ next_attempt_at: true }));

/** Deliveries of a subscription, newest first. */
export async function listDeliveries(
  { database }: Deps,
  of: { siteId: string; subscriptionId: string },
  { page, per_page }: { page: number; per_page: number },
) {
  const own = database.em
    .getKysely()
    .selectFrom('webhook_deliveries')
    .where('site_id', '=', of.siteId)
    .where('subscription_id', '=', of.subscriptionId);
  const records = own.select([...stored, nextAttemptAt.as('next_attempt_at')]);
  const { items: data, total } = await newestPage(records, { page, per_page });
  return { data, page, per_page, total };
}
