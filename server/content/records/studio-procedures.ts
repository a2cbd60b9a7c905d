import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import type { Field, Fields } from '../../../shared/contract/fields.ts';
import { filtersOf, ownFilterable } from '../../../shared/contract/filters.ts';
import { paging } from '../../../shared/contract/limits.ts';
import { listInput } from '../../../shared/contract/list-input.ts';
import { numberedPage, pageQuery, searchQuery, sortQuery } from '../../../shared/contract/pagination.ts';
import { ById, RecordId } from '../../../shared/contract/record-id.ts';
import { hasDrafts, type Resource } from '../../../shared/contract/resource.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import { sparse } from '../../api/sparse-fields.ts';
import { deletes, updates } from '../../api/trpc.ts';
import { ownNames } from './collection.ts';
import { getOwn, listOwn } from './owner-reads.ts';
import { createRecord, deleteRecord, reorderRecords, updateRecord } from './writes.ts';

/**
 * Returns the studio procedures for the records of one resource, drafts included. Writes follow the rules of v1 and record
 * the same events.
 */
export const studioRecords = <F extends Fields>(resource: Resource<F>) => ({
  list: contentReading
    .input(ownersInput(resource))
    .output(numberedPage(sparse(resource.own)))
    .query(({ ctx, input: { page, per_page, sort, status, fields, ...filter } }) => {
      const list = { page, per_page, sort, fields };
      return Array.isArray(status)
        ? listOwn({ ...ctx, resource }, list, { ...filter, status })
        : listOwn({ ...ctx, resource }, list, filter, status);
    }),
  get: studioGet(resource),
  ...studioWrites(resource),
});

/**
 * Returns the studio procedure that sets the order of the given records, for a resource that is sorted by hand. Other
 * records keep their positions. Throws `not_found` for an unknown record, and `validation_failed` for a duplicate.
 */
export const studioOrder = <F extends Fields & { sort_order: Field }>(resource: Resource<F>) => ({
  reorder: writing('publish')
    .input(
      z.strictObject({
        ids: z.array(RecordId).min(1).max(paging.page.max).describe('IDs of the records, in the new order'),
      }),
    )
    .output(Updated)
    .mutation(updates(({ ctx, input }) => reorderRecords({ ...ctx, resource }, input.ids))),
});

/**
 * Returns the studio procedure that gets a record with all its fields. It throws `not_found` if the record does not exist
 * or is in the trash.
 */
export const studioGet = <F extends Fields>(resource: Resource<F>) =>
  contentReading
    .input(ById)
    .output(resource.own)
    .query(async ({ ctx, input }) => {
      const record = await getOwn({ ...ctx, resource }, input.id);
      ctx.answer.revision = record.revision;
      return record;
    });

const States = z.enum(['draft', 'published']);

/**
 * Query options of owners. `status` is `draft` or `published`. For a resource with a field `status`, it may also be a list of
 * values of that field.
 */
function ownersInput<F extends Fields>({ fields }: Resource<F>) {
  const ofField = filtersOf(fields).some(({ parameter }) => parameter === 'status');
  const status = z
    .union(ofField ? [States, z.array(z.string())] : [States])
    .optional()
    .describe('Only drafts, or only published records');
  const paging = { ...pageQuery, sort: sortQuery(fields), status, q: searchQuery };
  return listInput(paging, ownFilterable(fields), ownNames(fields));
}

/** Returns the studio procedures that create, update and delete records of a resource. */
export const studioWrites = <F extends Fields>(resource: Resource<F>) => ({
  create: writing(areaOf(resource))
    .meta({ tagged: true })
    .input(resource.create)
    .output(Created)
    .mutation(({ ctx, input }) => createRecord({ ...ctx, resource }, input)),
  update: recordChange(areaOf(resource))
    .input(resource.update)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateRecord({ ...ctx, resource }, input))),
  delete: writing(areaOf(resource))
    .meta({ conditional: true })
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteRecord({ ...ctx, resource }, input))),
});

export const contentReading = staffProcedure('content');

/**
 * Returns the area that a role must cover to write records of a resource. It is `publish` if they have no drafts and belong
 * to no other record, so that they are public from their first write. Otherwise it is `content`.
 */
export const areaOf = ({ fields, partOf }: Pick<Resource, 'fields' | 'partOf'>) =>
  hasDrafts(fields) || partOf ? 'content' : 'publish';

const writing = (area: 'content' | 'publish') => staffProcedure(area).meta({ unaudited: 'history' });

export const recordChange = (area: 'content' | 'publish') =>
  writing(area).meta({ tagged: true, conditional: true });
