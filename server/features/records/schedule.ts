import { changeRecord } from '../../../shared/content/records.ts';
import { publishDue } from '../../../shared/content/schedule.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import { toDate } from '../../../shared/contract/moments.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { type WriteContext, type WrittenCollection, writtenBy } from './collection.ts';
import { lockAsked, write, writerOf } from './writes.ts';

/**
 * Sets the moment at which a draft gets published, or takes it back with null; one that has passed publishes it at once.
 * Gives the record's revision. Throws `not_found`, `precondition_failed`, or `validation_failed` for what is no draft.
 */
const scheduleRecord = (
  collection: WrittenCollection,
  id: string,
  publish_at: string | Date | null,
): Promise<number> =>
  write(collection, async (em) => {
    const before = await lockAsked(em, collection, id);
    // To take it back too late is an error as well: else its owner would take for a draft what readers see.
    if (!before.is_draft) throw new ApiError('validation_failed', 'publish_at: only drafts can have it');
    const moment = publish_at === null ? null : toDate(publish_at);
    if (moment?.getTime() === momentOf(before.publish_at)) return before.revision;
    const writer = writerOf(collection);
    const revision = await changeRecord(em, writer, before, { publish_at: moment });
    const only = { siteId: collection.siteId, id };
    const published = await publishDue(em, writer.deps, { collection: writer.collection, most: 1, only });
    return revision + published;
  });

/** The same for a caller, if the record has the revision that they ask for. */
export async function scheduleIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  { id, publish_at }: { id: string; publish_at: string | Date | null },
) {
  ctx.answer.revision = await scheduleRecord(writtenBy(ctx, resource), id, publish_at);
  return { status: 'updated' as const };
}

const momentOf = (publish_at: unknown) => (publish_at instanceof Date ? publish_at.getTime() : undefined);
