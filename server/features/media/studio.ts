import { z } from 'zod';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { ListMedia, MediaPage, MediaUse } from '../../../shared/contract/media.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { deleteMedia, listMedia } from './store.ts';
import { usesOf } from './uses.ts';

const One = z.strictObject({ id: RecordId });

/** What an owner does with the files of the site. */
export const mediaStudio = router({
  list: ownerProcedure
    .input(ListMedia)
    .output(MediaPage)
    .query(({ ctx, input }) => listMedia(ctx.deps, ctx.siteId, input)),

  uses: ownerProcedure
    .input(One)
    .output(simpleList(MediaUse))
    .query(async ({ ctx, input }) => ({ data: await usesOf(ctx.deps, ctx.siteId, input.id) })),

  delete: ownerProcedure
    .meta({ reachesOut: true })
    .input(One)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteMedia(ctx.deps, ctx.siteId, input.id);
      return { status: 'deleted' as const };
    }),
});
