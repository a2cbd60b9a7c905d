import { z } from 'zod';
import {
  DeliveryDetail,
  DeliveryPage,
  deliveryQuery,
  OneDelivery,
  Redelivery,
  Replay,
  ReplayWebhook,
} from '../../../shared/contract/features/webhooks.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { admin } from '../../access/route.ts';
import { getDelivery, listDeliveries } from './delivery-log.ts';
import { provisioned } from './provisioned.ts';
import { redeliver } from './redeliver.ts';
import { replay } from './replay.ts';
import { getSubscription } from './subscriptions.ts';

const tag = 'webhooks';

/** What an owner sees of deliveries, and has sent again. */
export const deliveryProcedures = {
  deliveries: admin
    .get({ path: '/admin/webhooks/{id}/deliveries', tag, summary: 'List deliveries, newest first' })
    .concat(provisioned)
    .input(z.object({ id: RecordId, ...deliveryQuery }))
    .output(DeliveryPage)
    .query(async ({ ctx, input: { id, ...page } }) => {
      await getSubscription(ctx.deps, ctx.siteId, id);
      return listDeliveries(ctx.deps, { site_id: ctx.siteId, subscription_id: id }, page);
    }),

  getDelivery: admin
    .get({
      path: '/admin/webhooks/{id}/deliveries/{delivery_id}',
      tag,
      summary: 'Get a delivery with its body and attempts',
    })
    .concat(provisioned)
    .input(OneDelivery)
    .output(DeliveryDetail)
    .query(async ({ ctx, input: { id, delivery_id } }) => {
      await getSubscription(ctx.deps, ctx.siteId, id);
      return getDelivery(ctx.deps, { site_id: ctx.siteId, subscription_id: id }, delivery_id);
    }),

  redeliver: admin
    .action({
      path: '/admin/webhooks/{id}/deliveries/{delivery_id}/redeliver',
      tag,
      summary: 'Retry a delivery immediately',
    })
    .concat(provisioned)
    .meta({ errors: ['attempt_running', 'event_expired', 'webhooks_not_provisioned'] })
    .input(OneDelivery)
    .output(Redelivery)
    .mutation(({ ctx, input: { id, delivery_id } }) =>
      redeliver(ctx.deps, { site_id: ctx.siteId, subscription_id: id }, delivery_id),
    ),

  replay: admin
    .command({
      path: '/admin/webhooks/{id}/replay',
      tag,
      summary: 'Replay the events of a period: undelivered ones, or all',
    })
    .concat(provisioned)
    .meta({ errors: ['replay_running', 'webhooks_not_provisioned'] })
    .input(ReplayWebhook)
    .output(Replay)
    .mutation(({ ctx, input: { id, ...period } }) =>
      replay(ctx.deps, { site_id: ctx.siteId, subscription_id: id }, period),
    ),
};
