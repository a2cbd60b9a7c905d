import { z } from 'zod';
import {
  ConnectPayments,
  DisconnectedPayments,
  PaymentState,
} from '../../shared/contract/features/payments.ts';
import { ownerProcedure } from '../api/access/procedures.ts';
import { router } from '../api/trpc.ts';
import { connectPayments, disconnectPayments, getPaymentState, syncPayments } from './connection.ts';

const studio = router({
  get: ownerProcedure.output(PaymentState).query(({ ctx }) => getPaymentState(ctx.deps, ctx.siteId)),
  connect: ownerProcedure
    .meta({ needsProof: true, reachesOut: true, errors: ['provider_refused', 'provider_unavailable'] })
    .input(ConnectPayments)
    .output(PaymentState)
    .mutation(({ ctx, input }) => connectPayments(ctx.deps, ctx.siteId, input)),
  disconnect: ownerProcedure
    .meta({ needsProof: true, reachesOut: true, errors: ['not_found'] })
    .input(z.strictObject({}).prefault({}))
    .output(DisconnectedPayments)
    .mutation(({ ctx }) => disconnectPayments(ctx.deps, ctx.siteId)),
  sync: ownerProcedure
    .meta({ errors: ['payments_not_configured'] })
    .input(z.strictObject({}).prefault({}))
    .output(z.strictObject({}))
    .mutation(async ({ ctx }) => {
      await syncPayments(ctx.deps, ctx.siteId);
      return {};
    }),
});

/** Connection of a site to its account at the payment provider (docs/guides/selling.md). */
export const payments = { studio: { payments: studio } };
