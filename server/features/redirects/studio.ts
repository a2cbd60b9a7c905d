import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import {
  CreateRedirect,
  ListRedirects,
  RedirectPage,
  UpdateRedirect,
} from '../../../shared/contract/redirects.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { createRedirect, deleteRedirect, listRedirects, updateRedirect } from './store.ts';

/** Old addresses of the site, which lead on. */
export const redirectsStudio = router({
  list: ownerProcedure
    .input(ListRedirects.prefault({}))
    .output(RedirectPage)
    .query(({ ctx, input }) => listRedirects(ctx.deps, ctx.siteId, input)),

  create: ownerProcedure
    .input(CreateRedirect)
    .output(Created)
    .mutation(async ({ ctx, input }) => {
      const { id, created } = await createRedirect(ctx.deps, ctx, input);
      return { id, created: new Timestamp(created) };
    }),

  update: ownerProcedure
    .input(UpdateRedirect)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await updateRedirect(ctx.deps, ctx, input);
      return { status: 'updated' as const };
    }),

  delete: ownerProcedure
    .input(z.strictObject({ id: RecordId }))
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteRedirect(ctx.deps, ctx.siteId, input.id);
      return { status: 'deleted' as const };
    }),
});
