import { sql } from 'kysely';
import { z } from 'zod';
import {
  changeRecord,
  insertRecord,
  type LockedRecord,
  lockRecord,
  publishedAt,
  setOrder,
} from '../../../shared/content/records.ts';
import { moveToTrash } from '../../../shared/content/trash/trash.ts';
import { coursePartsCheck, tooManyCourseParts } from '../../../shared/contract/features/curriculum.ts';
import { personOf } from '../../../shared/contract/history.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { contentCollections } from '../../../shared/contract/resources/index.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { storedValues } from '../../../shared/db/entities/content.ts';
import { ApiError, found } from '../../api/api-error.ts';
import { matches } from '../../api/entity-tag.ts';
import { inOneStatement, inTransaction, type SiteScope } from '../../api/transaction.ts';
import { draftOf, requireOwnWork } from './author-rights.ts';
import type { WrittenCollection } from './collection.ts';
import { freeSlug, lockedSlug, slugOf } from './slug.ts';

type Columns = Record<string, unknown>;

/** Returns the input of a procedure. tRPC types it as optional in a generic procedure, but a parser never returns undefined. */
function parsed<T>(input: T | undefined): T {
  if (input === undefined) throw new ApiError('invalid_request');
  return input;
}

/**
 * Creates a record, and sets its revision for the response's tag. Returns its ID and creation time. Throws
 * `validation_failed` for a taken slug, and for a cover that is not an image of the site. Throws `insufficient_role` if the
 * user may create only drafts and `is_draft` is false. Throws `invalid_request` without `values`.
 */
export async function createRecord(collection: WrittenCollection, values: object | undefined) {
  const now = collection.deps.clock.now();
  const id = newRecordId(now, collection.deps.randomBytes);
  const { fields, unset } = collection.resource;
  const given = { ...unset, ...draftOf(collection), ...storedValues(fields, { ...parsed(values) }) };
  const created_by = personOf(collection.actor);
  const row = {
    ...given,
    site_id: collection.siteId,
    id,
    created: now,
    updated: now,
    revision: 1,
    created_by,
  };
  const wanted = wantedSlug(collection, row, given.slug);
  const filled = { ...publication(row, now), ...(wanted && { slug: wanted }) };
  await (collection.onlyOwn ? write : writeAtOnce)(collection, async (em) => {
    await requireOwnWork(em, collection, row);
    await requireCover(em, collection, given.cover);
    await insertRecord(em, collection, { row: { ...row, ...filled }, unset });
  });
  collection.answer.revision = row.revision;
  return { id, created: new Timestamp(now) };
}

/**
 * Updates fields of a record if it has the required revision, and sets the new revision for the response's tag.
 * Without changes the revision stays. Throws `not_found`, `insufficient_role`, `precondition_failed`, or
 * `validation_failed` for a taken slug or a cover that is not an image.
 */
export async function updateRecord(collection: WrittenCollection, input: { id: string } | undefined) {
  const { id, ...values } = parsed(input);
  const changes = storedValues(collection.resource.fields, values);
  collection.answer.revision = await write(collection, async (em) => {
    const before = await lockForWrite(em, collection, { id, also: Object.keys(changes) });
    // A caller may send the current cover unchanged. If that image was deleted since, the other changes are still
    // accepted.
    if (changes.cover !== before.cover) await requireCover(em, collection, changes.cover);
    return applyChanges(em, collection, { before, changes });
  });
}

/** Throws `validation_failed` if the cover is not an image of the site. A cover that is deleted later reads as null. */
async function requireCover(em: Transaction, { siteId }: Pick<WrittenCollection, 'siteId'>, cover: unknown) {
  if (typeof cover !== 'string' || cover === '') return;
  const images = em.getKysely().selectFrom('media').select('id').where('site_id', '=', siteId);
  const image = await images.where('id', '=', cover).where('width', 'is not', null).executeTakeFirst();
  if (!image) throw new ApiError('validation_failed', 'cover: must be the id of an image of the site');
}

/**
 * Changes fields of a locked record, and its slug and publication date accordingly. Returns the new revision, or the
 * current one without changes. Throws `insufficient_role` if the caller may write only own drafts and the change
 * publishes the record.
 */
export async function applyChanges(
  em: Transaction,
  collection: WrittenCollection,
  { before, changes }: { before: LockedRecord; changes: Columns },
): Promise<number> {
  // Without changes there is no write (docs/reference/records.md#strict-bodies).
  if (Object.keys(changes).length === 0) return before.revision;
  const now = collection.deps.clock.now();
  const row = { ...before, ...changes };
  await requireOwnWork(em, collection, row);
  const wanted = wantedSlug(collection, row, changes.slug);
  const filled = { ...publication(row, now), ...(wanted && { slug: await slugOf(em, wanted) }) };
  return changeRecord(em, collection, { before, values: { ...changes, ...filled } });
}

/**
 * Moves a record to the trash if it has the required revision. Throws `not_found`, `insufficient_role` or
 * `precondition_failed`.
 */
export const deleteRecord = (collection: WrittenCollection, { id }: { id: string }): Promise<void> =>
  write(collection, async (em) => moveToTrash(em, collection, await lockForWrite(em, collection, { id })));

/**
 * Sets the positions of records to the order of `ids`; others keep theirs. Throws `not_found` for an unknown record,
 * and `validation_failed` for a duplicate.
 */
export const reorderRecords = (collection: WrittenCollection, ids: readonly string[]): Promise<void> =>
  write(collection, async (em) => {
    if (new Set(ids).size < ids.length)
      throw new ApiError('validation_failed', 'ids: must not contain a record twice');
    const { rows } = await sql`
      select id from ${sql.table(collection.resource.collection)}
      where site_id = ${collection.siteId} and id = any(${ids}::text[]) order by id for update`.execute(
      em.getKysely(),
    );
    if (rows.length < ids.length) throw new ApiError('not_found');
    await setOrder(em, collection, { ids, values: ids.map((_, index) => index) });
  });

/** SQL: slug that a write sets; undefined if it sets none. An empty slug is made from the title. */
function wantedSlug(collection: WrittenCollection, row: Columns & { id: string }, slug: unknown) {
  if (slug === '') return freeSlug(collection, row);
  return typeof slug === 'string' ? lockedSlug(collection, slug) : undefined;
}

/** Fields that depend on the draft state: the publication date and the schedule. */
function publication(row: Columns, now: Date): Columns {
  const filled: Columns = {};
  const published_at = publishedAt(row, now);
  if (published_at !== row.published_at) filled.published_at = published_at;
  // A draft that is published by hand loses its schedule.
  if (row.publish_at && !row.is_draft) filled.publish_at = null;
  return filled;
}

/** Runs a write in a transaction. Throws `validation_failed` for a violated constraint. */
export const write = <T>({ deps, siteId }: SiteScope, work: (em: Transaction) => Promise<T>) =>
  inTransaction(deps, siteId, work).catch(refuseViolation);

/** Runs a write of one statement. Throws `validation_failed` for a violated constraint. */
const writeAtOnce = <T>({ deps, siteId }: SiteScope, work: (em: Transaction) => Promise<T>) =>
  inOneStatement(deps, siteId, work).catch(refuseViolation);

function refuseViolation(cause: unknown): never {
  const { code, constraint = '' } = Violation.safeParse(cause).data ?? {};
  if (constraint === coursePartsCheck) throw new ApiError('validation_failed', tooManyCourseParts, { cause });
  if (code === foreignKeyViolation)
    throw new ApiError('validation_failed', 'the parent record does not exist', { cause });
  if (code === uniqueViolation && constraint.endsWith('_slug_key'))
    throw new ApiError('validation_failed', 'slug: already in use', { cause });
  // IDs are random, but an import may have used the ID of a record in the trash.
  if (code === uniqueViolation && primaryKeys.has(constraint))
    throw new ApiError('validation_failed', 'id: a record with this id already exists', { cause });
  throw cause;
}

/** PostgreSQL's error for a violated constraint. */
const Violation = z.object({ code: z.string(), constraint: z.string().optional() });
const foreignKeyViolation = '23503';
const uniqueViolation = '23505';
const primaryKeys = new Set(contentCollections.map((collection) => `${collection}_pkey`));

/**
 * Locks a record that has the required revision, and returns the columns that writes need and those in `also`. Throws
 * `not_found`, `insufficient_role` or `precondition_failed`.
 */
export async function lockForWrite(
  em: Transaction,
  collection: WrittenCollection,
  { id, also = [] }: { id: string; also?: readonly string[] },
) {
  const { partOf } = collection.resource;
  const index = collection.onlyOwn && partOf ? [partOf.by] : [];
  const record = found(await lockRecord(em, collection, { id, also: [...also, ...index] }));
  await requireOwnWork(em, collection, record);
  if (!matches(collection.ifMatch, record.revision)) throw new ApiError('precondition_failed');
  return record;
}
