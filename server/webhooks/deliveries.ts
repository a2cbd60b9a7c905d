import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Delivery } from '../../shared/contract/webhooks.ts';
import type { Deps } from '../deps.ts';

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
  const [data, { total }] = await Promise.all([
    own
      .select(shown)
      .orderBy('created', 'desc')
      .orderBy('id', 'desc')
      .limit(per_page)
      .offset((page - 1) * per_page)
      .execute(),
    own.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { data, page, per_page, total };
}
