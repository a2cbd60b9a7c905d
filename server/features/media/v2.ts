import { z } from 'zod';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { ListMedia, MediaPage } from '../../../shared/contract/media.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { del, get } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { deleteMedia, listMedia } from './store.ts';

const route = { scope: 'write:media', tag: 'media' } as const;

/** The files of a site for programs that upload some. */
export const mediaV2 = router({
  list: get({ ...route, path: '/v2/media', summary: 'List the files of the site, newest first' })
    .input(ListMedia)
    .output(MediaPage)
    .query(({ ctx, input }) => listMedia(ctx.deps, ctx.siteId, input)),

  delete: del({ ...route, path: '/v2/media/{id}', summary: 'Delete a file, wherever it is used' })
    .meta({ reachesOut: true, audited: true })
    .input(z.strictObject({ id: RecordId }))
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteMedia(ctx.deps, ctx.siteId, input.id);
      return { status: 'deleted' as const };
    }),
});
