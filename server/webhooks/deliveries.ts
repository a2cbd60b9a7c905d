import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Delivery } from '../../shared/contract/webhooks.ts';
import type { Deps } from '../deps.ts';
import { newestPage } from '../newest-page.ts';

type Shown = z.infer<typeof Delivery>;
type DeliveryRow = Omit<Shown, 'next_attempt_at'> & {
  site_id: string;
  subscription_id: string;
  due_at: Date | null;
};

const shown = [
  'id',
  'event',
  'status',
  'attempt_count',
  'last_status_code',
  'error',
  'created',
  'updated',
  'due_at as next_attempt_at',
] as const;

/** Deliveries of a subscription, newest first. */
export async function listDeliveries(
  { database }: Deps,
  of: { siteId: string; subscriptionId: string },
  { page, per_page }: { page: number; per_page: number },
) {
  const reads: Kysely<{ webhook_deliveries: DeliveryRow }> = database.em.getKysely();
  const own = reads
    .selectFrom('webhook_deliveries')
    .where('site_id', '=', of.siteId)
    .where('subscription_id', '=', of.subscriptionId);
  const { items: data, total } = await newestPage(own.select(shown), { page, per_page });
  return { data, page, per_page, total };
}
