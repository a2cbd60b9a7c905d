import { z } from 'zod';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import {
  CreatedWebhook,
  CreateWebhook,
  RotatedWebhookSecret,
  TestResult,
  UpdateWebhook,
  Webhook,
} from '../../../shared/contract/webhooks.ts';
import { admin } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { deliveryProcedures } from './admin-deliveries.ts';
import { checkedTarget } from './checked-target.ts';
import { provisioned } from './provisioned.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  updateSubscription,
} from './subscriptions.ts';
import { sendTest } from './test-delivery.ts';

const tag = 'webhooks';
const One = z.strictObject({ id: RecordId });

/** The owner's webhook subscriptions. */
export const webhooksAdmin = router({
  create: admin
    .post({
      path: '/admin/webhooks',
      tag,
      summary: 'Create a webhook subscription; its secret is shown once',
    })
    .concat(provisioned)
    .concat(checkedTarget(CreateWebhook))
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createSubscription(ctx.deps, { siteId: ctx.siteId, byKey: false }, input)),

  list: admin
    .get({ path: '/admin/webhooks', tag, summary: 'List webhook subscriptions' })
    .concat(provisioned)
    .output(simpleList(Webhook))
    .query(async ({ ctx }) => ({ data: await listSubscriptions(ctx.deps, ctx.siteId) })),

  update: admin
    .patch({
      path: '/admin/webhooks/{id}',
      tag,
      summary: 'Update a webhook subscription; switching it on resets its failures',
    })
    .concat(provisioned)
    .concat(checkedTarget(UpdateWebhook))
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await updateSubscription(ctx.deps, ctx.siteId, input);
      return { status: 'updated' as const };
    }),

  delete: admin
    .del({ path: '/admin/webhooks/{id}', tag, summary: 'Delete a webhook subscription' })
    .concat(provisioned)
    .input(One)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteSubscription(ctx.deps, ctx.siteId, input.id);
      return { status: 'deleted' as const };
    }),

  test: admin
    .action({
      path: '/admin/webhooks/{id}/test',
      tag,
      summary: 'Send a test event, and tell what the URL answered',
    })
    .meta({ reachesOut: true })
    .concat(provisioned)
    .input(One)
    .output(TestResult)
    .mutation(({ ctx, input }) => sendTest(ctx.deps, ctx.siteId, input.id)),

  rotateSecret: admin
    .action({
      path: '/admin/webhooks/{id}/rotate-secret',
      tag,
      summary: 'Give a webhook a new secret; the old one signs along for 24 hours',
    })
    .concat(provisioned)
    .input(One)
    .output(RotatedWebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, ctx.siteId, input.id)),

  ...deliveryProcedures,
});
