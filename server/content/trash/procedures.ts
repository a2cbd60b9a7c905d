import { z } from 'zod';
import { documented } from '../../../shared/contract/documented.ts';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { Emptied, Restored, Trashed } from '../../../shared/contract/features/trash.ts';
import { numberedPage, pageQuery } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { contentCollections } from '../../../shared/contract/resources/index.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import { deletes, router } from '../../api/trpc.ts';
import { emptyTrash, listTrash, purgeTrashed, restoreTrashed } from './store.ts';

const Collection = documented(z.enum(contentCollections), 'Collection of the record', 'posts');

const address = z.strictObject({ collection: Collection, id: RecordId });

export const trash = {
  studio: {
    trash: router({
      list: staffProcedure('content')
        .input(z.object({ ...pageQuery, collection: Collection.optional() }).prefault({}))
        .output(numberedPage(Trashed))
        .query(({ ctx, input }) => listTrash(ctx, input)),
      restore: staffProcedure('content')
        .meta({ unaudited: 'history' })
        .input(address)
        .output(Restored)
        .mutation(async ({ ctx, input }) => {
          const { slug, revision } = await restoreTrashed(ctx, input);
          ctx.answer.revision = revision;
          return { status: 'restored' as const, ...(slug !== null && { slug }) };
        }),
      purge: staffProcedure('publish')
        .input(address)
        .output(Deleted)
        .mutation(deletes(({ ctx, input }) => purgeTrashed(ctx, input))),
      /** Empties the trash, of one collection or all. */
      empty: staffProcedure('publish')
        .input(z.strictObject({ collection: Collection.optional() }).prefault({}))
        .output(Emptied)
        .mutation(async ({ ctx, input }) => ({ count: await emptyTrash(ctx, input.collection) })),
    }),
  },
};
