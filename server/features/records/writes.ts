import { z } from 'zod';
import {
  changeRecord,
  insertRecord,
  type LockedRecord,
  lockRecord,
  publishedAt,
} from '../../../shared/content/records.ts';
import { moveToTrash } from '../../../shared/content/trash.ts';
import type { ContentWriter } from '../../../shared/content/write.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { contentCollections } from '../../../shared/contract/resources/index.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { storedValues } from '../../../shared/db/entities/content.ts';
import { ApiError, found } from '../../kernel/api-error.ts';
import { matches } from '../../kernel/entity-tag.ts';
import { inOneStatement, inTransaction } from '../../kernel/transaction.ts';
import { type WriteContext, type WrittenCollection, writtenBy } from './collection.ts';
import { freeSlug, lockedSlug, slugOf } from './slug.ts';

type Values = Record<string, unknown>;

/** Creates a record for a caller; its revision goes into the tag of the answer. */
export async function createIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  values: object | undefined,
) {
  const { revision, ...created } = await createRecord(writtenBy(ctx, resource), { ...parsed(values) });
  ctx.answer.revision = revision;
  return created;
}

/** Updates one, if it has the revision that the caller asks for. */
export async function updateIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  input: { id: string } | undefined,
) {
  const { id, ...changes } = parsed(input);
  ctx.answer.revision = await updateRecord(writtenBy(ctx, resource), id, changes);
  return { status: 'updated' as const };
}

/** Deletes one, if it has the revision that the caller asks for. */
export async function deleteIn<F extends Fields>(
  ctx: WriteContext,
  resource: Resource<F>,
  { id }: { id: string },
) {
  await deleteRecord(writtenBy(ctx, resource), id);
  return { status: 'deleted' as const };
}

/** tRPC types the input of a generic procedure as possibly unset, which behind a parser it never is. */
function parsed<T>(input: T | undefined): T {
  if (input === undefined) throw new ApiError('invalid_request');
  return input;
}

/** Stores a new record. Throws `validation_failed` for a slug that is taken, and for a cover that is no image of the site. */
export async function createRecord(collection: WrittenCollection, values: Values) {
  const now = collection.deps.clock.now();
  const id = newRecordId(now, collection.deps.randomBytes);
  const { fields, unset } = collection.resource;
  const given = { ...unset, ...storedValues(fields, values) };
  const row = { ...given, site_id: collection.siteId, id, created: now, updated: now, revision: 1 };
  const wanted = wantedSlug(collection, row, given.slug);
  const filled = { ...publication(row, now), ...(wanted && { slug: wanted }) };
  await writeAtOnce(collection, async (em) => {
    await requireCover(em, collection, given.cover);
    await insertRecord(em, writerOf(collection), { ...row, ...filled }, unset);
  });
  return { id, created: new Timestamp(now), revision: row.revision };
}

/**
 * Changes the named fields of a record, and gives its revision, which is the same when there are none. Throws `not_found`,
 * `precondition_failed`, or `validation_failed` as a create.
 */
export const updateRecord = async (
  collection: WrittenCollection,
  id: string,
  values: Values,
): Promise<number> => {
  const changes = storedValues(collection.resource.fields, values);
  return write(collection, async (em) => {
    const before = await lockAsked(em, collection, id, Object.keys(changes));
    // A form may send what the record has; an image that was deleted since is no reason to refuse all the rest.
    if (changes.cover !== before.cover) await requireCover(em, collection, changes.cover);
    return applyChanges(em, collection, before, changes);
  });
};

/** Throws `validation_failed` for what is no image of the site. One that is deleted later reads as none. */
async function requireCover(em: Transaction, { siteId }: Pick<WrittenCollection, 'siteId'>, cover: unknown) {
  if (typeof cover !== 'string' || cover === '') return;
  const images = em.getKysely().selectFrom('media').select('id').where('site_id', '=', siteId);
  const image = await images.where('id', '=', cover).where('width', 'is not', null).executeTakeFirst();
  if (!image) throw new ApiError('validation_failed', 'cover: must be an image of the site');
}

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

type Place = Pick<WrittenCollection, 'deps' | 'siteId'>;

/** Throws `validation_failed` when the record can't be as it was asked for. */
export const write = <T>({ deps, siteId }: Place, work: (em: Transaction) => Promise<T>) =>
  inTransaction(deps, siteId, work).catch(refuseViolation);

/** The same for work of one statement. */
const writeAtOnce = <T>({ deps, siteId }: Place, work: (em: Transaction) => Promise<T>) =>
  inOneStatement(deps, siteId, work).catch(refuseViolation);

function refuseViolation(cause: unknown): never {
  const { code, constraint = '' } = Violation.safeParse(cause).data ?? {};
  if (code === foreignKeyViolation)
    throw new ApiError('validation_failed', 'the record it belongs to does not exist', { cause });
  if (code === uniqueViolation && constraint.endsWith('_slug_key'))
    throw new ApiError('validation_failed', 'slug: already taken', { cause });
  // Ids are made at random, but what is in the trash may have been imported meanwhile.
  if (code === uniqueViolation && primaryKeys.has(constraint))
    throw new ApiError('validation_failed', 'id: the record is there already', { cause });
  throw cause;
}

/** What PostgreSQL says of a constraint that a statement breaks. */
const Violation = z.object({ code: z.string(), constraint: z.string().optional() });
const foreignKeyViolation = '23503';
const uniqueViolation = '23505';
const primaryKeys = new Set(contentCollections.map((collection) => `${collection}_pkey`));

/** The record, locked, if it has the revision that was asked for. Throws `not_found` or `precondition_failed`. */
export async function lockAsked(
  em: Transaction,
  collection: WrittenCollection,
  id: string,
  also: readonly string[] = [],
) {
  const record = found(await lockRecord(em, writerOf(collection), id, also));
  if (!matches(collection.ifMatch, record.revision)) throw new ApiError('precondition_failed');
  return record;
}

export const writerOf = ({ deps, siteId, resource, actor }: WrittenCollection): ContentWriter => ({
  deps,
  siteId,
  actor,
  collection: resource.collection,
});
