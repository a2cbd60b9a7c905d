import { z } from 'zod';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import { ListMedia, Media, MediaPage, MediaUse, UpdateMedia } from '../../../shared/contract/media.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { deleteMedia, getMedia, listMedia, updateMedia } from './store.ts';
import { usesOf } from './uses.ts';

const One = z.strictObject({ id: RecordId });

/** What an owner does with the files of the site. */
export const mediaStudio = router({
  list: ownerProcedure
    .input(ListMedia)
    .output(MediaPage)
    .query(({ ctx, input }) => listMedia(ctx.deps, ctx.siteId, input)),

  get: ownerProcedure
    .input(One)
    .output(Media)
    .query(({ ctx, input }) => getMedia(ctx.deps, ctx.siteId, input.id)),

  update: ownerProcedure
    .input(UpdateMedia)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      await updateMedia(ctx.deps, ctx.siteId, input);
      return { status: 'updated' as const };
    }),

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
