import { z } from 'zod';
import { Updated } from '../../../shared/contract/envelopes.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import { Revision, RevisionNumber } from '../../../shared/contract/history.ts';
import { numberedPage, pageQuery } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { updates } from '../../api/trpc.ts';
import { areaOf, contentReading, recordChange } from '../records/studio-procedures.ts';
import { getRevision, listRevisions, restoreRevision } from './revisions.ts';

const revisionAddress = z.strictObject({ id: RecordId, revision: RevisionNumber });

/** Returns the studio procedures that list, get and restore the stored revisions of a record. */
export const studioRevisions = <F extends Fields>(resource: Resource<F>) => ({
  revisions: contentReading
    .input(z.object({ id: RecordId, ...pageQuery }))
    .output(numberedPage(Revision))
    .query(({ ctx, input }) => listRevisions({ ...ctx, resource }, input)),
  getRevision: contentReading
    .input(revisionAddress)
    .output(resource.own)
    .query(({ ctx, input }) => getRevision({ ...ctx, resource }, input)),
  restore: recordChange(areaOf(resource))
    .input(revisionAddress)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => restoreRevision({ ...ctx, resource }, input))),
});
