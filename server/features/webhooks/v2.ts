import { z } from 'zod';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { CreatedWebhook, RegisterWebhook, Webhook } from '../../../shared/contract/webhooks.ts';
import { del, get, post } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { checkedTarget } from './checked-target.ts';
import { provisioned } from './provisioned.ts';
import { createSubscription, deleteSubscription, listSubscriptions } from './subscriptions.ts';

const route = { scope: 'write:webhooks', tag: 'webhooks' } as const;

/** Webhooks that programs register with their keys, and end with them. */
export const webhooksV2 = router({
  create: post({
    ...route,
    path: '/v2/webhooks',
    mcp: { name: 'create_webhook', resource: 'webhooks', advice: 'The secret is shown only here.' },
    summary: 'Register a webhook, for names or wildcards',
  })
    .meta({ audited: true })
    .concat(provisioned)
    .concat(checkedTarget(RegisterWebhook))
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createSubscription(ctx.deps, { siteId: ctx.siteId, byKey: true }, input)),

  list: get({ ...route, path: '/v2/webhooks', summary: 'List the webhooks that were registered here' })
    .concat(provisioned)
    .output(simpleList(Webhook))
    .query(async ({ ctx }) => ({ data: await listSubscriptions(ctx.deps, ctx.siteId, { byKey: true }) })),

  delete: del({ ...route, path: '/v2/webhooks/{id}', summary: 'End a webhook that was registered here' })
    .meta({ audited: true })
    .concat(provisioned)
    .input(z.strictObject({ id: RecordId }))
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteSubscription(ctx.deps, ctx.siteId, input.id, { byKey: true });
      return { status: 'deleted' as const };
    }),
});
