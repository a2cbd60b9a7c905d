import { z } from 'zod';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  CreatedWebhook,
  CreateWebhook,
  RegisterWebhook,
  RotatedWebhookSecret,
  TestResult,
  UpdateWebhook,
  Webhook,
} from '../../../shared/contract/features/webhooks.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { webhookTargetFault } from '../../../shared/webhooks/target.ts';
import { admin, del, get, post } from '../../access/route.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { deletes, router, t, updates } from '../../kernel/trpc.ts';
import { deliveryProcedures } from './admin-deliveries.ts';
import { provisioned } from './provisioned.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  updateSubscription,
} from './subscriptions.ts';
import { sendTest } from './test-delivery.ts';

/** What any contract of a subscription has. */
const Target = z.object({ url: z.string().optional() });

/**
 * Takes what names a target, if there is one, that deliveries may go to; else `validation_failed`. Brings the input with
 * it: asking name servers takes seconds, which belong before anything is written.
 */
const checkedTarget = <I extends z.ZodType<z.infer<typeof Target>>>(contract: I) =>
  t.procedure.input(contract).use(async ({ ctx, input, next }) => {
    const { url } = Target.parse(input);
    const fault = url === undefined ? null : await webhookTargetFault(url, ctx.deps.webhooks.rule);
    if (fault) throw new ApiError('validation_failed', `url: ${fault}`);
    return next();
  });

const tag = 'webhooks';

/** The owner's webhook subscriptions. */
const webhooksAdmin = router({
  create: admin
    .post({
      path: '/admin/webhooks',
      tag,
      summary: 'Create a webhook subscription; only this response contains its secret',
    })
    .meta({ needsProof: true })
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
      summary: 'Update a webhook subscription; setting `active` to true resets the failure counter',
    })
    .meta({ conditional: true, needsProof: true })
    .concat(provisioned)
    .concat(checkedTarget(UpdateWebhook))
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateSubscription(ctx, input))),

  delete: admin
    .del({ path: '/admin/webhooks/{id}', tag, summary: 'Delete a webhook subscription' })
    .concat(provisioned)
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteSubscription(ctx.deps, ctx.siteId, input))),

  test: admin
    .action({
      path: '/admin/webhooks/{id}/test',
      tag,
      summary: 'Send a test event and return the response status',
    })
    .meta({ reachesOut: true })
    .concat(provisioned)
    .input(ById)
    .output(TestResult)
    .mutation(({ ctx, input }) => sendTest(ctx.deps, ctx.siteId, input.id)),

  rotateSecret: admin
    .action({
      path: '/admin/webhooks/{id}/rotate-secret',
      tag,
      summary: 'Rotate the secret of a webhook; for 24 hours both secrets sign deliveries',
    })
    .meta({ needsProof: true })
    .concat(provisioned)
    .input(ById)
    .output(RotatedWebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, ctx.siteId, input.id)),

  ...deliveryProcedures,
});

const route = { scope: 'write:webhooks', tag: 'webhooks' } as const;

/** Webhooks that programs register with their keys, and end with them. */
const v2 = router({
  create: post({
    ...route,
    path: '/v2/webhooks',
    mcp: { name: 'create_webhook', resource: 'webhooks', advice: 'Only this response contains the secret.' },
    summary: 'Register a webhook for event names or wildcards',
  })
    .meta({ audited: true })
    .concat(provisioned)
    .concat(checkedTarget(RegisterWebhook))
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createSubscription(ctx.deps, { siteId: ctx.siteId, byKey: true }, input)),

  list: get({ ...route, path: '/v2/webhooks', summary: 'List webhooks that were registered through API v2' })
    .concat(provisioned)
    .output(simpleList(Webhook))
    .query(async ({ ctx }) => ({ data: await listSubscriptions(ctx.deps, ctx.siteId, { byKey: true }) })),

  delete: del({
    ...route,
    path: '/v2/webhooks/{id}',
    summary: 'Delete a webhook that was registered through API v2',
  })
    .meta({ audited: true })
    .concat(provisioned)
    .input(ById)
    .output(Deleted)
    .mutation(
      deletes(({ ctx, input }) => deleteSubscription(ctx.deps, ctx.siteId, { ...input, byKey: true })),
    ),
});

export const webhooks = { v2: { webhooks: v2 }, admin: { webhooks: webhooksAdmin } };
