import type { z } from 'zod';
import { webhookTargetFault } from '../../../shared/webhooks/target.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { t } from '../../kernel/trpc.ts';

/**
 * Takes what names a target, if there is one, that deliveries may go to; else `validation_failed`. Brings the input with
 * it: asking name servers takes seconds, which belong before anything is written.
 */
export const checkedTarget = <I extends z.ZodType<{ url?: string | undefined }>>(contract: I) =>
  t.procedure.input(contract).use(async ({ ctx, input, next }) => {
    // tRPC can't tell what a contract gives that is known by its bound only.
    const { url } = input as z.infer<I>;
    const fault = url === undefined ? null : await webhookTargetFault(url, ctx.deps.webhooks.rule);
    if (fault) throw new ApiError('validation_failed', `url: ${fault}`);
    return next();
  });
