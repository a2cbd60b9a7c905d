import { sql } from 'kysely';
import type { Fields } from '../../../shared/contract/fields.ts';
import { keptRevisions } from '../../../shared/contract/limits.ts';
import type { OwnRecordOf } from '../../../shared/contract/resource.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import type { StoredJson } from '../../../shared/db/entities/history.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { ApiError } from '../../api/api-error.ts';
import { type Collection, typedRow, type WrittenCollection } from '../records/collection.ts';
import { getOwn, requireOwn } from '../records/owner-reads.ts';
import { applyChanges, lockForWrite, write } from '../records/writes.ts';

/**
 * Lists one page of a record's stored revisions, newest first; empty if there are none. Throws `not_found` if the record does
 * not exist.
 */
export async function listRevisions(
  collection: Collection,
  { id, page, per_page }: { id: string; page: number; per_page: number },
) {
  await requireOwn(collection, id);
  const { deps, siteId } = collection;
  const columns = ['revision', 'created', 'actor', 'changed'] as const;
  const rows = revisionsOf(deps.database.em, collection, id).select(columns);
  return newestPage({ database: deps.database, siteId, rows }, { page, per_page, by: ['revision'] });
}

/** Gets a record as of a revision. Throws `not_found` if the record or the revision is not stored. */
export async function getRevision<F extends Fields>(
  collection: Collection<F>,
  { id, revision }: { id: string; revision: number },
) {
  const present = await getOwn(collection, id);
  const past = await pastValues(collection.deps.database.em, collection, present, revision);
  return typedRow<OwnRecordOf<F>>({ ...present, ...past, revision });
}

/**
 * Updates a record to the values of one of its revisions. Throws `not_found` if the record or the revision is not
 * stored. Also throws `insufficient_role`, `precondition_failed`, and `validation_failed` for values that are no longer
 * possible, such as a taken slug.
 */
export async function restoreRevision(
  collection: WrittenCollection,
  { id, revision }: { id: string; revision: number },
) {
  const { fields } = collection.resource;
  collection.answer.revision = await write(collection, async (em) => {
    const before = await lockForWrite(em, collection, { id, also: Object.keys(fields) });
    const past = await pastValues(em, collection, before, revision);
    const { updated: _, publish_at: __, ...values } = past;
    return applyChanges(em, collection, { before, changes: values });
  });
}

/**
 * Returns the values in `revision` of the fields that were changed since, and of the changed times in `unlisted`.
 * Throws `not_found` if the revision is not stored.
 */
async function pastValues(
  em: Transaction,
  collection: Collection,
  { id, revision: latest }: { id: string; revision: number },
  revision: number,
): Promise<StoredJson> {
  const between = latest - revision;
  if (between < 0 || between >= keptRevisions) throw new ApiError('not_found');
  const { writes, values } = await takenBack(em, collection, { id, revision, present: latest });
  if (writes < between) throw new ApiError('not_found');
  return readStored(collection.resource.fields, values);
}

/**
 * Returns the number of stored revisions after `revision`, up to `present`. Also returns the values that the fields they
 * changed had in `revision`. The database selects these values, because the revisions may contain fifty long bodies.
 */
export async function takenBack(
  em: Transaction,
  collection: Collection,
  { id, revision, present }: { id: string; revision: number; present: number },
): Promise<{ writes: number; values: StoredJson }> {
  const later = revisionsOf(em, collection, id)
    .where('revision', '>', revision)
    .where('revision', '<=', present);
  const { rows } = await sql<{ writes: number; values: StoredJson }>`
    with later as (${later.select(['revision', 'changed'])}),
    first as (
      select distinct on (name) name, revision from later, unnest(changed || '{updated}'::text[]) as name
      order by name, revision
    ),
    held as (${later.select(['revision', 'previous'])})
    select (select count(*)::integer from later) as writes,
      (select coalesce(jsonb_object_agg(name, previous -> name), '{}') from first join held using (revision)) as values`.execute(
    em.getKysely(),
  );
  return rows[0] ?? { writes: 0, values: {} };
}

/** Names of times that revisions contain although they are not fields of a resource. */
const unlisted: ReadonlySet<string> = new Set(['updated', 'publish_at']);

/** Converts stored values to those of rows. Fields that no longer exist are dropped. */
function readStored(fields: Fields, values: StoredJson): StoredJson {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    const column = unlisted.has(name) ? 'timestamptz(3)' : fields[name]?.column;
    if (column === undefined) return [];
    return [[name, column === 'timestamptz(3)' && typeof value === 'string' ? new Timestamp(value) : value]];
  });
  return Object.fromEntries(entries);
}

const revisionsOf = (em: Transaction, { siteId, resource }: Collection, id: string) =>
  em
    .getKysely()
    .selectFrom('record_revisions')
    .where('site_id', '=', siteId)
    .where('collection', '=', resource.collection)
    .where('record_id', '=', id);
