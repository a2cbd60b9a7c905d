import { z } from 'zod';
import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import type { Field, Fields } from '../../../shared/contract/fields.ts';
import { filterShape, ownFilterable } from '../../../shared/contract/filters.ts';
import { Revision, RevisionNumber } from '../../../shared/contract/history.ts';
import { paging } from '../../../shared/contract/limits.ts';
import { searchableListInput } from '../../../shared/contract/list-input.ts';
import { DateTime } from '../../../shared/contract/moments.ts';
import { numberedPage, pageQuery, sortQuery } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { hasDrafts, type Resource } from '../../../shared/contract/resource.ts';
import { staffProcedure } from '../../access/procedures.ts';
import { sparse } from '../../kernel/sparse.ts';
import { deletes, router, updates } from '../../kernel/trpc.ts';
import { getRevision, listRevisions, restoreRevision } from './history.ts';
import { getOwn, listOwn } from './own-reads.ts';
import { ownNames } from './readable-names.ts';
import { scheduleRecord } from './schedule.ts';
import { createRecord, deleteRecord, reorderRecords, updateRecord } from './writes.ts';

/** What an owner does with the records of one resource, drafts included; writes obey the rules of v1 and fire its events. */
export const studioRecords = <F extends Fields>(resource: Resource<F>) => router(studioCalls(resource));

/** The same for records that can be drafts. */
export const studioDrafts = <F extends Fields & { is_draft: Field }>(resource: Resource<F>) =>
  router({
    ...studioCalls(resource),
    schedule: changing('publish')
      .input(z.strictObject({ id: RecordId, publish_at: publishAt }))
      .output(Updated)
      .mutation(updates(({ ctx, input }) => scheduleRecord({ ...ctx, resource }, input))),
  });

/** Besides, for records that their owner puts in order by hand. */
export const studioOrder = <F extends Fields & { sort_order: Field }>(resource: Resource<F>) =>
  router({
    reorder: writing('publish')
      .input(
        z.strictObject({
          ids: z
            .array(RecordId)
            .min(1)
            .max(paging.page.max)
            .meta({ description: 'Records in their new order' }),
        }),
      )
      .output(Updated)
      .mutation(updates(({ ctx, input }) => reorderRecords({ ...ctx, resource }, input.ids))),
  });

const studioCalls = <F extends Fields>(resource: Resource<F>) => ({
  list: reading
    .input(ownersInput(resource))
    .output(numberedPage(sparse(resource.own)))
    .query(({ ctx, input: { page, per_page, sort, status, fields, ...filter } }) =>
      listOwn(
        { ...ctx, resource },
        {
          page,
          per_page,
          sort,
          fields,
          ...(Array.isArray(status) ? { filter: { ...filter, status } } : { filter, state: status }),
        },
      ),
    ),
  get: studioGet(resource),
  ...studioWrites(resource),
});

/** A record with all that it holds. */
export const studioGet = <F extends Fields>(resource: Resource<F>) =>
  reading
    .input(z.strictObject({ id: RecordId }))
    .output(resource.own)
    .query(async ({ ctx, input }) => {
      const record = await getOwn({ ...ctx, resource }, input.id);
      ctx.answer.revision = record.revision;
      return record;
    });

const States = z.enum(['draft', 'published']);

/** What an owner may ask of a list. Where a field is named `status` too, a list of texts asks for that one. */
function ownersInput<F extends Fields>({ fields }: Resource<F>) {
  const { status: ofField } = filterShape(fields);
  const status = z
    .union(ofField ? [States, z.array(z.string())] : [States])
    .optional()
    .meta({ description: 'Only drafts, or only what is not a draft' });
  const paging = { ...pageQuery, sort: sortQuery(fields), status };
  return searchableListInput(paging, ownFilterable(fields), ownNames(fields));
}

/** Writes over RPC and what they leave behind, for resources that REST doesn't write too. */
export const studioWrites = <F extends Fields>(resource: Resource<F>) => ({
  create: writing(areaOf(resource))
    .meta({ tagged: true })
    .input(resource.create)
    .output(Created)
    .mutation(({ ctx, input }) => createRecord({ ...ctx, resource }, input)),
  update: changing(areaOf(resource))
    .input(resource.update)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateRecord({ ...ctx, resource }, input))),
  delete: writing(areaOf(resource))
    .meta({ conditional: true })
    .input(z.strictObject({ id: RecordId }))
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteRecord({ ...ctx, resource }, input))),
  revisions: reading
    .input(z.object({ id: RecordId, ...pageQuery }))
    .output(numberedPage(Revision))
    .query(({ ctx, input }) => listRevisions({ ...ctx, resource }, input)),
  getRevision: reading
    .input(revisionAddress)
    .output(resource.own)
    .query(({ ctx, input }) => getRevision({ ...ctx, resource }, input)),
  restore: changing(areaOf(resource))
    .input(revisionAddress)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => restoreRevision({ ...ctx, resource }, input))),
});

const publishAt = DateTime.nullable().meta({
  description: 'When to publish the draft: at once for a moment that has passed; null takes it back',
});

const reading = staffProcedure('content');

/** What can be no draft, by itself or with what it is a part of, is public from its first write on. */
const areaOf = ({ fields, partOf }: Pick<Resource, 'fields' | 'partOf'>) =>
  hasDrafts(fields) || partOf ? 'content' : 'publish';

const writing = (area: 'content' | 'publish') => staffProcedure(area).meta({ unaudited: 'history' });

const changing = (area: 'content' | 'publish') => writing(area).meta({ tagged: true, conditional: true });

const revisionAddress = z.strictObject({ id: RecordId, revision: RevisionNumber });
