import {
  ForeignKeyConstraintViolationException,
  LockMode,
  UniqueConstraintViolationException,
} from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { unsetValues } from '../../../shared/contract/fields.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { type ContentRow, getContentEntity } from '../../../shared/db/entities/content.ts';
import { storedValues } from '../../../shared/db/stored-values.ts';
import { Timestamp } from '../../../shared/db/timestamp.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type ContentChange, recordContentEvents } from '../events/content-events.ts';
import type { Collection } from './collection.ts';
import { slugFrom } from './slug.ts';

type Values = Record<string, unknown>;

/** Times that a slug made from a title is tried again when others take it at the same moment. */
const slugTries = 50;

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
  await withSlug(collection, given, async (em, takenBefore) => {
    const row = { ...given, site_id: collection.siteId, id, created: now, updated: now };
    await fillIn(em, collection, { row, now, takenBefore });
    await em.persist(em.create(getContentEntity(collection.resource.collection), row)).flush();
    await recordChange(em, collection, { row, change: 'content.created' });
  });
  return { id, created: new Timestamp(now) };
}

/** Changes the named fields of a record. Throws `not_found`, or `validation_failed` for a slug that is taken. */
export async function updateRecord(collection: Collection, id: string, values: Values): Promise<void> {
  const now = collection.deps.clock.now();
  const changes = storedValues(collection.resource.fields, values);
  await withSlug(collection, changes, async (em, takenBefore) => {
    const row = await getOwn(em, collection, id);
    if (Object.keys(changes).length === 0) return;
    Object.assign(row, changes, { updated: now });
    await fillIn(em, collection, { row, now, takenBefore });
    await em.flush();
    await recordChange(em, collection, { row, change: 'content.updated' });
  });
}

/** Removes a record. Throws `not_found`. */
export async function deleteRecord(collection: Collection, id: string): Promise<void> {
  await inTransaction(collection, async (em) => {
    const row = await getOwn(em, collection, id);
    await em.remove(row).flush();
    await recordChange(em, collection, { row, change: 'content.deleted' });
  });
}

const inTransaction = <T>({ deps }: Collection, work: (em: EntityManager) => Promise<T>) =>
  deps.database.em.fork().transactional(work);

const recordChange = (
  em: EntityManager,
  { deps, resource }: Collection,
  written: { row: ContentRow; change: ContentChange },
) => recordContentEvents(em, deps, { collection: resource.collection, ...written });

/** What a record has without its writer saying so: a slug, and a date of publication once it can be read. */
async function fillIn(
  em: EntityManager,
  collection: Collection,
  { row, now, takenBefore }: { row: ContentRow; now: Date; takenBefore: boolean },
) {
  if (row.slug === '') row.slug = await makeSlug(em, collection, row, takenBefore);
  const readable = row.visibility === 'public' && !row.is_draft;
  if (readable && row.published_at === null) row.published_at = now;
}

/** Locked, so that of two who delete it at once one is told `not_found`. */
async function getOwn(em: EntityManager, { resource, siteId }: Collection, id: string): Promise<ContentRow> {
  const own = { site_id: siteId, id };
  const row = await em.findOne(getContentEntity(resource.collection), own, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
  });
  if (!row) throw new ApiError('not_found');
  return row;
}

/**
 * Runs `write` in a transaction. A slug that was given must be free; one to be made from the title is made again until
 * it is, also when others take it at the same moment.
 */
async function withSlug(
  collection: Collection,
  values: Values,
  write: (em: EntityManager, takenBefore: boolean) => Promise<void>,
) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await inTransaction(collection, (em) => write(em, tries > 1));
    } catch (error) {
      if (error instanceof ForeignKeyConstraintViolationException) {
        throw new ApiError('validation_failed', 'the record it belongs to does not exist', { cause: error });
      }
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      const made = values.slug === '';
      if (!made || tries === slugTries)
        throw new ApiError('validation_failed', 'slug: already taken', { cause: error });
    }
  }
}

/** The title's slug, or when that was `takenBefore`, with the first free number: one query, only on a clash. */
async function makeSlug(
  em: EntityManager,
  { resource, siteId }: Collection,
  row: ContentRow,
  takenBefore: boolean,
) {
  const base = slugFrom(String(row.title), row.id);
  if (!takenBefore) return base;
  const { rows } = await sql<{ slug: string }>`
    with numbered as (
      select slug from ${sql.table(resource.collection)}
      where site_id = ${siteId} and id <> ${row.id} and starts_with(slug, ${`${base}-`})
    )
    select ${`${base}-`} || number as slug from generate_series(2, (select count(*) + 2 from numbered)) number
    where ${`${base}-`} || number not in (select slug from numbered)
    order by number limit 1`.execute(em.getKysely());
  return rows[0]?.slug ?? row.id;
}
