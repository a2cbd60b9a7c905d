import { z } from 'zod';
import { changeRecord } from '../../../shared/content/records.ts';
import { publishDue } from '../../../shared/content/schedule.ts';
import { Updated } from '../../../shared/contract/envelopes.ts';
import type { Field, Fields } from '../../../shared/contract/fields.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { DateTime, toDate } from '../../../shared/contract/timestamps.ts';
import { ApiError } from '../../api/api-error.ts';
import { updates } from '../../api/trpc.ts';
import type { WrittenCollection } from '../records/collection.ts';
import { recordChange } from '../records/studio-procedures.ts';
import { lockForWrite, write } from '../records/writes.ts';

const publishAt = DateTime.nullable().describe(
  'Publication time of the draft; a past time publishes it immediately, null cancels the schedule',
);

/** Returns the studio procedure that sets or cancels the publication time of a draft. */
export const studioSchedule = <F extends Fields & { is_draft: Field }>(resource: Resource<F>) => ({
  schedule: recordChange('publish')
    .input(z.strictObject({ id: RecordId, publish_at: publishAt }))
    .output(Updated)
    .mutation(updates(({ ctx, input }) => scheduleRecord({ ...ctx, resource }, input))),
});

/**
 * Sets or cancels (null) the publication time of a draft. A past time publishes it immediately. Throws `not_found`,
 * `precondition_failed`, or `validation_failed` for a published record.
 */
async function scheduleRecord(
  collection: WrittenCollection,
  { id, publish_at }: { id: string; publish_at: string | Date | null },
) {
  const { deps, siteId, resource } = collection;
  collection.answer.revision = await write(collection, async (em) => {
    const before = await lockForWrite(em, collection, { id });
    // Canceling too late is an error, too. Otherwise the owner would believe that a published record is a draft.
    if (!before.is_draft) throw new ApiError('validation_failed', 'publish_at: can be set only for drafts');
    const timestamp = publish_at === null ? null : toDate(publish_at);
    if (timestamp?.getTime() === timeOf(before.publish_at)) return before.revision;
    const revision = await changeRecord(em, collection, { before, values: { publish_at: timestamp } });
    const only = { siteId, id };
    const published = await publishDue(em, deps, { collection: resource.collection, max: 1, only });
    return revision + published;
  });
}

const timeOf = (publish_at: unknown) => (publish_at instanceof Date ? publish_at.getTime() : undefined);
