import { sql } from 'kysely';
import { z } from 'zod';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  CreatedWebhook,
  CreateWebhook,
  DeliveryDetail,
  DeliveryPage,
  deliveryQuery,
  OneDelivery,
  Redelivery,
  RegisterWebhook,
  Replay,
  ReplayWebhook,
  RotatedWebhookSecret,
  TestResult,
  UpdateWebhook,
  Webhook,
} from '../../../shared/contract/features/webhooks.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById, RecordId } from '../../../shared/contract/record-id.ts';
import { webhookTargetFault } from '../../../shared/webhooks/index.ts';
import { admin, del, get, post } from '../../api/access/route.ts';
import { ApiError } from '../../api/api-error.ts';
import { deletes, router, t, updates } from '../../api/trpc.ts';
import { getDelivery, listDeliveries } from './delivery-log.ts';
import { redeliver, replay } from './redeliver.ts';
import {
  createSubscription,
  deleteSubscription,
  getSubscription,
  listSubscriptions,
  rotateSecret,
  updateSubscription,
} from './subscriptions.ts';
import { sendTest } from './test-delivery.ts';

/** Refuses with `webhooks_not_provisioned` if the webhook tables or the job queue are missing. */
const provisioned = t.procedure.meta({ errors: ['webhooks_not_provisioned'] }).use(async ({ ctx, next }) => {
  const { rows } = await sql<{ ready: boolean }>`
      select to_regclass('webhook_subscriptions') is not null and to_regclass('webhook_deliveries') is not null
        and to_regclass('webhook_attempts') is not null
        and to_regproc('add_job') is not null as ready`.execute(ctx.deps.database.em.getKysely());
  if (!rows[0]?.ready) throw new ApiError('webhooks_not_provisioned');
  return next();
});

const tag = 'webhooks';
const path = '/admin/webhooks';

const keyOf = ({ siteId }: { siteId: string }, id: string) => ({ site_id: siteId, subscription_id: id });

/** Part of each subscription contract that contains the URL. */
const Target = z.object({ url: z.string().optional() });

/**
 * Checks the URL in the input, if any, and throws `validation_failed` if deliveries must not go there. It parses the
 * input itself, because DNS lookups take seconds and must precede any write.
 */
const checkedTarget = <I extends z.ZodType<z.infer<typeof Target>>>(contract: I) =>
  t.procedure.input(contract).use(async ({ ctx, input, next }) => {
    const { url } = Target.parse(input);
    const fault = url === undefined ? null : await webhookTargetFault(url, ctx.deps.webhooks.rule);
    if (fault) throw new ApiError('validation_failed', `url: ${fault}`);
    return next();
  });

const webhooksAdmin = router({
  create: admin
    .post({ path, tag, summary: 'Create a webhook subscription; only this response contains its secret' })
    .meta({ needsProof: true })
    .concat(provisioned)
    .concat(checkedTarget(CreateWebhook))
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createSubscription(ctx.deps, { siteId: ctx.siteId, byKey: false }, input)),

  list: admin
    .get({ path, tag, summary: 'List webhook subscriptions' })
    .concat(provisioned)
    .output(simpleList(Webhook))
    .query(async ({ ctx }) => ({ data: await listSubscriptions(ctx.deps, ctx.siteId) })),

  update: admin
    .patch({
      path: `${path}/{id}`,
      tag,
      summary: 'Update a webhook subscription; setting `active` to true resets the failure counter',
    })
    .meta({ conditional: true, needsProof: true })
    .concat(provisioned)
    .concat(checkedTarget(UpdateWebhook))
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateSubscription(ctx, input))),

  delete: admin
    .del({ path: `${path}/{id}`, tag, summary: 'Delete a webhook subscription' })
    .concat(provisioned)
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteSubscription(ctx.deps, ctx.siteId, input))),

  test: admin
    .action({ path: `${path}/{id}/test`, tag, summary: 'Send a test event and return the response status' })
    .meta({ reachesOut: true })
    .concat(provisioned)
    .input(ById)
    .output(TestResult)
    .mutation(({ ctx, input }) => sendTest(ctx.deps, ctx.siteId, input.id)),

  rotateSecret: admin
    .action({
      path: `${path}/{id}/rotate-secret`,
      tag,
      summary: 'Rotate the secret of a webhook; for 24 hours both secrets sign deliveries',
    })
    .meta({ needsProof: true })
    .concat(provisioned)
    .input(ById)
    .output(RotatedWebhookSecret)
    .mutation(({ ctx, input }) => rotateSecret(ctx.deps, ctx.siteId, input.id)),

  deliveries: admin
    .get({ path: `${path}/{id}/deliveries`, tag, summary: 'List deliveries, newest first' })
    .concat(provisioned)
    .input(z.object({ id: RecordId, ...deliveryQuery }))
    .output(DeliveryPage)
    .query(async ({ ctx, input: { id, ...page } }) => {
      await getSubscription(ctx.deps, ctx.siteId, id);
      return listDeliveries(ctx.deps, keyOf(ctx, id), page);
    }),

  getDelivery: admin
    .get({
      path: `${path}/{id}/deliveries/{delivery_id}`,
      tag,
      summary: 'Get a delivery with its body and attempts',
    })
    .concat(provisioned)
    .input(OneDelivery)
    .output(DeliveryDetail)
    .query(async ({ ctx, input: { id, delivery_id } }) => {
      await getSubscription(ctx.deps, ctx.siteId, id);
      return getDelivery(ctx.deps, keyOf(ctx, id), delivery_id);
    }),

  redeliver: admin
    .action({
      path: `${path}/{id}/deliveries/{delivery_id}/redeliver`,
      tag,
      summary: 'Retry a delivery immediately',
    })
    .concat(provisioned)
    .meta({ errors: ['attempt_running', 'event_expired', 'webhooks_not_provisioned'] })
    .input(OneDelivery)
    .output(Redelivery)
    .mutation(({ ctx, input: { id, delivery_id } }) => redeliver(ctx.deps, keyOf(ctx, id), delivery_id)),

  replay: admin
    .command({
      path: `${path}/{id}/replay`,
      tag,
      summary: 'Replay the events of a period: undelivered ones, or all',
    })
    .concat(provisioned)
    .meta({ errors: ['replay_running', 'webhooks_not_provisioned'] })
    .input(ReplayWebhook)
    .output(Replay)
    .mutation(({ ctx, input: { id, ...period } }) => replay(ctx.deps, keyOf(ctx, id), period)),
});

const route = { scope: 'write:webhooks', tag } as const;

/** Webhooks that are registered with API keys. Calls with an API key list and delete only these. */
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
