import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import { numberedPage, pageQuery } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import type { CreateInput, Resource, UpdateInput } from '../../../shared/contract/resource.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { collectionOf } from './collection.ts';
import { getOwn, listOwn } from './own-reads.ts';
import { parsed } from './parsed.ts';
import { createRecord, deleteRecord, updateRecord } from './writes.ts';

const status = z
  .enum(['draft', 'published'])
  .optional()
  .meta({ description: 'Only drafts, or only what is not a draft' });

/** What an owner does with the records of one resource, drafts included; writes obey the rules of v1 and fire its events. */
export const studioRecords = <F extends Fields>(resource: Resource<F>) =>
  router({
    list: ownerProcedure
      .input(z.object({ ...pageQuery, status }).prefault({}))
      .output(numberedPage(resource.own))
      .query(({ ctx, input }) => listOwn(collectionOf(ctx, resource), input)),
    get: ownerProcedure
      .input(z.strictObject({ id: RecordId }))
      .output(resource.own)
      .query(({ ctx, input }) => getOwn(collectionOf(ctx, resource), input.id)),
    ...studioWrites(resource),
  });

/** Create, update and delete over RPC, for resources that REST doesn't write. */
export const studioWrites = <F extends Fields>(resource: Resource<F>) => ({
  create: ownerProcedure
    .input(resource.create)
    .output(Created)
    .mutation(({ ctx, input }) => createRecord(collectionOf(ctx, resource), parsed<CreateInput<F>>(input))),
  update: ownerProcedure
    .input(resource.update)
    .output(Updated)
    .mutation(async ({ ctx, input }) => {
      const { id, ...changes } = parsed<UpdateInput<F>>(input);
      await updateRecord(collectionOf(ctx, resource), id, changes);
      return { status: 'updated' as const };
    }),
  delete: ownerProcedure
    .input(z.strictObject({ id: RecordId }))
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteRecord(collectionOf(ctx, resource), input.id);
      return { status: 'deleted' as const };
    }),
});
