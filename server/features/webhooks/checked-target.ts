import { z } from 'zod';
import { webhookTargetFault } from '../../../shared/webhooks/target.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { t } from '../../kernel/trpc.ts';

/** What any contract of a subscription has. */
const Target = z.object({ url: z.string().optional() });

/**
 * Takes what names a target, if there is one, that deliveries may go to; else `validation_failed`. Brings the input with
 * it: asking name servers takes seconds, which belong before anything is written.
 */
export const checkedTarget = <I extends z.ZodType<z.infer<typeof Target>>>(contract: I) =>
  t.procedure.input(contract).use(async ({ ctx, input, next }) => {
    const { url } = Target.parse(input);
    const fault = url === undefined ? null : await webhookTargetFault(url, ctx.deps.webhooks.rule);
    if (fault) throw new ApiError('validation_failed', `url: ${fault}`);
    return next();
  });
