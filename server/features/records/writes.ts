import { ForeignKeyConstraintViolationException, UniqueConstraintViolationException } from '@mikro-orm/core';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { type ContentRow, getContentEntity } from '../../../shared/db/entities/content.ts';
import { storedValues } from '../../../shared/db/stored-values.ts';
import { Timestamp } from '../../../shared/db/timestamp.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { inTransaction, lockRow } from '../../kernel/transaction.ts';
import { type ContentChange, recordContentEvents } from '../events/content-events.ts';
import type { Collection } from './collection.ts';
import { freeSlug, lockSlug } from './slug.ts';

type Values = Record<string, unknown>;

/** Stores a new record. Throws `validation_failed` for a slug that is taken. */
export async function createRecord(
  collection: Collection,
  values: Values,
): Promise<{ id: string; created: Date }> {
  const now = collection.deps.clock.now();
  const id = newRecordId(now, collection.deps.randomBytes);
  const given = {
    ...unsetValues(collection.resource.fields),
    ...storedValues(collection.resource.fields, values),
  };
  await write(collection, async (em) => {
    const row = { ...given, site_id: collection.siteId, id, created: now, updated: now };
    await fillIn(em, collection, { row, now, slug: given.slug });
    await em.persist(em.create(getContentEntity(collection.resource.collection), row)).flush();
    await recordChange(em, collection, { row, change: 'content.created' });
  });
  return { id, created: new Timestamp(now) };
}

/** Changes the named fields of a record. Throws `not_found`, or `validation_failed` for a slug that is taken. */
export async function updateRecord(collection: Collection, id: string, values: Values): Promise<void> {
  const now = collection.deps.clock.now();
  const changes = storedValues(collection.resource.fields, values);
  await write(collection, async (em) => {
    const row = await lockRecord(em, collection, id);
    if (Object.keys(changes).length === 0) return;
    Object.assign(row, changes, { updated: now });
    await fillIn(em, collection, { row, now, slug: changes.slug });
    await em.flush();
    await recordChange(em, collection, { row, change: 'content.updated' });
  });
}

/** Removes a record. Throws `not_found`. */
export async function deleteRecord(collection: Collection, id: string): Promise<void> {
  await write(collection, async (em) => {
    const row = await lockRecord(em, collection, id);
    await em.remove(row).flush();
    await recordChange(em, collection, { row, change: 'content.deleted' });
  });
}

/** Throws `validation_failed` when the record can't be as it was asked for. */
const write = <T>({ deps, siteId }: Collection, work: (em: Transaction) => Promise<T>) =>
  inTransaction(deps, siteId, work).catch((cause: unknown) => {
    if (cause instanceof ForeignKeyConstraintViolationException)
      throw new ApiError('validation_failed', 'the record it belongs to does not exist', { cause });
    if (cause instanceof UniqueConstraintViolationException)
      throw new ApiError('validation_failed', 'slug: already taken', { cause });
    throw cause;
  });

const recordChange = (
  em: Transaction,
  { deps, resource }: Collection,
  written: { row: ContentRow; change: ContentChange },
) => recordContentEvents(em, deps, { collection: resource.collection, ...written });

/** What a record gets when the caller leaves it out: a slug, and a date of publication once it is public. */
async function fillIn(
  em: Transaction,
  { resource }: Collection,
  { row, now, slug }: { row: ContentRow; now: Date; slug: unknown },
) {
  if (slug === '') row.slug = await freeSlug(em, resource, row);
  else if (slug !== undefined) await lockSlug(em, resource.collection, row);
  const readable = row.visibility === 'public' && !row.is_draft;
  if (readable && row.published_at === null) row.published_at = now;
}

const lockRecord = (em: Transaction, { resource, siteId }: Collection, id: string) =>
  lockRow(em, getContentEntity(resource.collection), { site_id: siteId, id });
