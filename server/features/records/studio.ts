import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import { filterShape } from '../../../shared/contract/filters.ts';
import { searchableListInput } from '../../../shared/contract/list-input.ts';
import { numberedPage, pageQuery, sortQuery } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import type { CreateInput, Resource, UpdateInput } from '../../../shared/contract/resource.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { sparse } from '../../kernel/sparse.ts';
import { router } from '../../kernel/trpc.ts';
import { collectionOf } from './collection.ts';
import { getOwn, listOwn } from './own-reads.ts';
import { parsed } from './parsed.ts';
import { ownNames } from './readable-names.ts';
import { createRecord, deleteRecord, updateRecord } from './writes.ts';

/** What an owner does with the records of one resource, drafts included; writes obey the rules of v1 and fire its events. */
export const studioRecords = <F extends Fields>(resource: Resource<F>) =>
  router({
    list: ownerProcedure
      .input(ownersInput(resource))
      .output(numberedPage(sparse(resource.own)))
      .query(({ ctx, input: { page, per_page, sort, status, fields, ...filter } }) =>
        listOwn(collectionOf(ctx, resource), {
          page,
          per_page,
          sort,
          fields,
          ...(Array.isArray(status) ? { filter: { ...filter, status } } : { filter, state: status }),
        }),
      ),
    get: ownerProcedure
      .input(z.strictObject({ id: RecordId }))
      .output(resource.own)
      .query(({ ctx, input }) => getOwn(collectionOf(ctx, resource), input.id)),
    ...studioWrites(resource),
  });

const States = z.enum(['draft', 'published']);

/** What an owner may ask of a list. Where a field is named `status` too, a list of texts asks for that one. */
function ownersInput<F extends Fields>({ fields }: Resource<F>) {
  const { status: ofField } = filterShape(fields);
  const status = z
    .union(ofField ? [States, z.array(z.string())] : [States])
    .optional()
    .meta({ description: 'Only drafts, or only what is not a draft' });
  return searchableListInput({ ...pageQuery, sort: sortQuery(fields), status }, fields, ownNames(fields));
}

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
