import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import type { Delivery } from '../../../shared/contract/webhooks.ts';
import type { Deps } from '../../kernel/deps.ts';
import { newestPage } from '../../kernel/newest-page.ts';

type Shown = z.infer<typeof Delivery>;
type DeliveryRow = Omit<Shown, 'next_attempt_at'> & { site_id: string; subscription_id: string };

const shown = [
  'id',
  'event',
  'status',
  'attempt_count',
  'last_status_code',
  'error',
  'created',
  'updated',
] as const;

/** While an attempt is under way, `due_at` is the end of its lease: no next attempt is planned yet. */
const nextAttemptAt = sql<Date | null>`case when lease_until is null then due_at end`.as('next_attempt_at');

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
  const { items: data, total } = await newestPage(own.select([...shown, nextAttemptAt]), { page, per_page });
  return { data, page, per_page, total };
}
