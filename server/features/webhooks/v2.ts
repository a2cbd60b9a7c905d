import { CreatedWebhook, RegisterWebhook } from '../../../shared/contract/webhooks.ts';
import { post } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { checkedTarget } from './checked-target.ts';
import { provisioned } from './provisioned.ts';
import { createSubscription } from './subscriptions.ts';

/** Webhooks that programs register with their keys. */
export const webhooksV2 = router({
  create: post({
    path: '/v2/webhooks',
    scope: 'write:webhooks',
    tag: 'webhooks',
    mcp: { name: 'create_webhook', resource: 'webhooks', advice: 'The secret is shown only here.' },
    summary: 'Register a webhook, for names or wildcards',
  })
    .concat(provisioned)
    .concat(checkedTarget(RegisterWebhook))
    .output(CreatedWebhook)
    .mutation(({ ctx, input }) => createSubscription(ctx.deps, ctx.siteId, input)),
});
