import {
  changeRecord,
  insertRecord,
  type LockedRecord,
  publishedAt,
} from '../../../shared/content/records.ts';
import { moveToTrash } from '../../../shared/content/trash.ts';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { hasDrafts } from '../../../shared/contract/resource.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { storedValues } from '../../../shared/db/stored-values.ts';
import { Timestamp } from '../../../shared/db/timestamp.ts';
import type { WrittenCollection } from './collection.ts';
import { freeSlug, lockedSlug, slugOf } from './slug.ts';
import { lockAsked, write, writeAtOnce, writerOf } from './write-transaction.ts';

type Values = Record<string, unknown>;

/** Stores a new record. Throws `validation_failed` for a slug that is taken. */
export async function createRecord(collection: WrittenCollection, values: Values) {
  const now = collection.deps.clock.now();
  const id = newRecordId(now, collection.deps.randomBytes);
  const unset = unsetValues(collection.resource.fields);
  const given = { ...unset, ...storedValues(collection.resource.fields, values) };
  const scheduled = hasDrafts(collection.resource.fields) && { publish_at: null };
  const own = { site_id: collection.siteId, id, created: now, updated: now, revision: 1 };
  const row = { ...given, ...scheduled, ...own };
  const wanted = wantedSlug(collection, row, given.slug);
  const filled = { ...publication(row, now), ...(wanted && { slug: wanted }) };
  await writeAtOnce(collection, (em) => insertRecord(em, writerOf(collection), { ...row, ...filled }, unset));
  return { id, created: new Timestamp(now), revision: row.revision };
}

/**
 * Changes the named fields of a record, and gives its revision, which is the same when there are none. Throws `not_found`,
 * `precondition_failed`, or `validation_failed` for a slug that is taken.
 */
export const updateRecord = (collection: WrittenCollection, id: string, values: Values): Promise<number> => {
  const changes = storedValues(collection.resource.fields, values);
  return write(collection, async (em) =>
    applyChanges(em, collection, await lockAsked(em, collection, id, Object.keys(changes)), changes),
  );
};

/** Changes fields of a locked record, with what follows from them: its slug, and when it was published. */
export async function applyChanges(
  em: Transaction,
  collection: WrittenCollection,
  before: LockedRecord,
  changes: Values,
): Promise<number> {
  // What changes nothing is no write (docs/contract.md#strict-bodies).
  if (Object.keys(changes).length === 0) return before.revision;
  const now = collection.deps.clock.now();
  const row = { ...before, ...changes };
  const wanted = wantedSlug(collection, row, changes.slug);
  const filled = { ...publication(row, now), ...(wanted && { slug: await slugOf(em, wanted) }) };
  return changeRecord(em, writerOf(collection), before, { ...changes, ...filled });
}

/** Moves a record to the trash. Throws `not_found` or `precondition_failed`. */
export const deleteRecord = (collection: WrittenCollection, id: string): Promise<void> =>
  write(collection, async (em) => moveToTrash(em, writerOf(collection), await lockAsked(em, collection, id)));

/** SQL of the slug that a write gives a record; undefined when it gives it none. An empty one is made from the title. */
function wantedSlug(collection: WrittenCollection, row: Values & { id: string }, slug: unknown) {
  if (slug === '') return freeSlug(collection, row);
  return typeof slug === 'string' ? lockedSlug(collection, slug) : undefined;
}

/** What follows from whether a record is public: a date of publication from then on. */
function publication(row: Values, now: Date): Values {
  const filled: Values = {};
  const published_at = publishedAt(row, now);
  if (published_at !== row.published_at) filled.published_at = published_at;
  // Whoever publishes a draft by hand doesn't wait for its moment.
  if (row.publish_at && !row.is_draft) filled.publish_at = null;
  return filled;
}
