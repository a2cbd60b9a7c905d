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
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { contentCollections } from '../../../shared/contract/resources/index.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { storedValues } from '../../../shared/db/entities/content.ts';
import { ApiError, found } from '../../api/api-error.ts';
import { matches } from '../../api/entity-tag.ts';
import { inOneStatement, inTransaction, type SiteScope } from '../../api/transaction.ts';
import type { WrittenCollection } from './collection.ts';
import { draftOf, requireOwnWork } from './own-drafts.ts';
import { freeSlug, lockedSlug, slugOf } from './slug.ts';

type Columns = Record<string, unknown>;

/** tRPC types the input of a generic procedure as possibly unset, which behind a parser it never is. */
function parsed<T>(input: T | undefined): T {
  if (input === undefined) throw new ApiError('invalid_request');
  return input;
}

/**
 * Creates a record; its revision goes into the tag of the answer. Throws `validation_failed` for a slug that is taken, and
 * for a cover that is no image of the site.
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
 * Changes the named fields of a record, if it has the revision that the caller asks for; its next one, or the same when
 * there are none, goes into the tag of the answer. Throws `not_found`, `precondition_failed`, or `validation_failed` as a
 * create.
 */
export async function updateRecord(collection: WrittenCollection, input: { id: string } | undefined) {
  const { id, ...values } = parsed(input);
  const changes = storedValues(collection.resource.fields, values);
  collection.answer.revision = await write(collection, async (em) => {
    const before = await lockForWrite(em, collection, { id, also: Object.keys(changes) });
    // A form may send what the record has; an image that was deleted since is no reason to refuse all the rest.
    if (changes.cover !== before.cover) await requireCover(em, collection, changes.cover);
    return applyChanges(em, collection, { before, changes });
  });
}

/** Throws `validation_failed` for what is no image of the site. One that is deleted later reads as none. */
async function requireCover(em: Transaction, { siteId }: Pick<WrittenCollection, 'siteId'>, cover: unknown) {
  if (typeof cover !== 'string' || cover === '') return;
  const images = em.getKysely().selectFrom('media').select('id').where('site_id', '=', siteId);
  const image = await images.where('id', '=', cover).where('width', 'is not', null).executeTakeFirst();
  if (!image) throw new ApiError('validation_failed', 'cover: must be the id of an image of the site');
}

/** Changes fields of a locked record, with what follows from them: its slug, and when it was published. */
export async function applyChanges(
  em: Transaction,
  collection: WrittenCollection,
  { before, changes }: { before: LockedRecord; changes: Columns },
): Promise<number> {
  // What changes nothing is no write (docs/contract.md#strict-bodies).
  if (Object.keys(changes).length === 0) return before.revision;
  const now = collection.deps.clock.now();
  const row = { ...before, ...changes };
  await requireOwnWork(em, collection, row);
  const wanted = wantedSlug(collection, row, changes.slug);
  const filled = { ...publication(row, now), ...(wanted && { slug: await slugOf(em, wanted) }) };
  return changeRecord(em, collection, { before, values: { ...changes, ...filled } });
}

/** Moves a record to the trash, if it has the revision that the caller asks for. Throws `not_found` or `precondition_failed`. */
export const deleteRecord = (collection: WrittenCollection, { id }: { id: string }): Promise<void> =>
  write(collection, async (em) => moveToTrash(em, collection, await lockForWrite(em, collection, { id })));

/**
 * Gives records their places in the order of `ids`; the others stay where they are. Throws `not_found` when one of them is
 * unknown, `validation_failed` for one that is named twice.
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
    await setOrder(em, collection, { ids, values: ids.map((_, place) => place) });
  });

/** SQL of the slug that a write gives a record; undefined when it gives it none. An empty one is made from the title. */
function wantedSlug(collection: WrittenCollection, row: Columns & { id: string }, slug: unknown) {
  if (slug === '') return freeSlug(collection, row);
  return typeof slug === 'string' ? lockedSlug(collection, slug) : undefined;
}

/** What follows from whether a record is public: a date of publication from then on. */
function publication(row: Columns, now: Date): Columns {
  const filled: Columns = {};
  const published_at = publishedAt(row, now);
  if (published_at !== row.published_at) filled.published_at = published_at;
  // Whoever publishes a draft by hand doesn't wait for its moment.
  if (row.publish_at && !row.is_draft) filled.publish_at = null;
  return filled;
}

/** Throws `validation_failed` when the record can't be as it was asked for. */
export const write = <T>({ deps, siteId }: SiteScope, work: (em: Transaction) => Promise<T>) =>
  inTransaction(deps, siteId, work).catch(refuseViolation);

/** The same for work of one statement. */
const writeAtOnce = <T>({ deps, siteId }: SiteScope, work: (em: Transaction) => Promise<T>) =>
  inOneStatement(deps, siteId, work).catch(refuseViolation);

function refuseViolation(cause: unknown): never {
  const { code, constraint = '' } = Violation.safeParse(cause).data ?? {};
  if (constraint === coursePartsCheck) throw new ApiError('validation_failed', tooManyCourseParts, { cause });
  if (code === foreignKeyViolation)
    throw new ApiError('validation_failed', 'the parent record does not exist', { cause });
  if (code === uniqueViolation && constraint.endsWith('_slug_key'))
    throw new ApiError('validation_failed', 'slug: already in use', { cause });
  // Ids are made at random, but what is in the trash may have been imported meanwhile.
  if (code === uniqueViolation && primaryKeys.has(constraint))
    throw new ApiError('validation_failed', 'id: a record with this id already exists', { cause });
  throw cause;
}

/** What PostgreSQL says of a constraint that a statement breaks. */
const Violation = z.object({ code: z.string(), constraint: z.string().optional() });
const foreignKeyViolation = '23503';
const uniqueViolation = '23505';
const primaryKeys = new Set(contentCollections.map((collection) => `${collection}_pkey`));

/** The record, locked, if it has the revision that was asked for. Throws `not_found`, `insufficient_role` or `precondition_failed`. */
export async function lockForWrite(
  em: Transaction,
  collection: WrittenCollection,
  { id, also = [] }: { id: string; also?: readonly string[] },
) {
  const { partOf } = collection.resource;
  const place = collection.onlyOwn && partOf ? [partOf.by] : [];
  const record = found(await lockRecord(em, collection, { id, also: [...also, ...place] }));
  await requireOwnWork(em, collection, record);
  if (!matches(collection.ifMatch, record.revision)) throw new ApiError('precondition_failed');
  return record;
}
