import { changeRecord } from '../../../shared/content/records.ts';
import { publishDue } from '../../../shared/content/schedule.ts';
import { toDate } from '../../../shared/contract/moments.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { WrittenCollection } from './collection.ts';
import { lockForWrite, write } from './writes.ts';

/**
 * Sets the moment at which a draft gets published, or takes it back with null; one that has passed publishes it at once.
 * Throws `not_found`, `precondition_failed`, or `validation_failed` for what is no draft.
 */
export async function scheduleRecord(
  collection: WrittenCollection,
  { id, publish_at }: { id: string; publish_at: string | Date | null },
) {
  const { deps, siteId, resource } = collection;
  collection.answer.revision = await write(collection, async (em) => {
    const before = await lockForWrite(em, collection, { id });
    // To take it back too late is an error as well: else its owner would take for a draft what readers see.
    if (!before.is_draft) throw new ApiError('validation_failed', 'publish_at: only drafts can have it');
    const moment = publish_at === null ? null : toDate(publish_at);
    if (moment?.getTime() === momentOf(before.publish_at)) return before.revision;
    const revision = await changeRecord(em, collection, { before, values: { publish_at: moment } });
    const only = { siteId, id };
    const published = await publishDue(em, deps, { collection: resource.collection, most: 1, only });
    return revision + published;
  });
}

const momentOf = (publish_at: unknown) => (publish_at instanceof Date ? publish_at.getTime() : undefined);
