import { z } from 'zod';
import { Deleted, Updated } from '../../../../shared/contract/envelopes.ts';
import { FactorList, RecoveryCodes, RenameFactor } from '../../../../shared/contract/features/factors.ts';
import { ById } from '../../../../shared/contract/record-id.ts';
import { staffProcedure } from '../../../access/procedures.ts';
import { deletes, router, updates } from '../../../kernel/trpc.ts';
import { passkeys, totp } from './adding.ts';
import { listFactors, removeFactor, renameFactor, renewCodes } from './store.ts';

const staff = staffProcedure('account');
const proved = staff.meta({ needsProof: true });

/** What somebody proves by that it is they, besides their password. */
export const factors = router({
  list: staff.output(FactorList).query(({ ctx }) => listFactors(ctx.deps, ctx.session)),
  rename: staff
    .input(RenameFactor)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => renameFactor(ctx.deps, ctx.session, input))),
  remove: proved
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => removeFactor(ctx.deps, ctx.session, input.id))),
  totp,
  passkeys,
  recovery: router({
    renew: proved
      .input(z.strictObject({}).prefault({}))
      .output(RecoveryCodes)
      .mutation(({ ctx }) => renewCodes(ctx.deps, ctx.session)),
  }),
});
