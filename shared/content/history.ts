import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../contract/history.ts';
import { keptRevisions } from '../contract/limits.ts';

/**
 * A part of a statement that notes in the history of records what was written to them. Its part `writes` has a row of
 * `site_id`, `collection`, `id`, `revision`, `changed` and `previous` for each: what fields changed, and held before.
 */
export const insertRevisions = (
  actor: Actor,
  at: Date | undefined,
): RawBuilder<unknown> => sql`remembered as (
  insert into record_revisions (site_id, collection, record_id, revision, created, actor, changed, previous)
  select site_id, collection, id, revision, ${at}::timestamptz, ${JSON.stringify(actor)}::jsonb, changed, previous
  from writes)`;

/** A part behind it: each record remembers its latest writes only. */
export const pruneRevisions: RawBuilder<unknown> = sql`forgotten as (${deleteRevisions('writes', sql`h.revision <= writes.revision - ${keptRevisions}`)})`;

/** SQL that removes steps `h` of the histories of records, which are rows of `site_id`, `collection` and `id`. */
export function deleteRevisions(records: string, which: RawBuilder<unknown>): RawBuilder<unknown> {
  const [site, collection, id] = ['site_id', 'collection', 'id'].map((name) => sql.ref(`${records}.${name}`));
  return sql`delete from record_revisions h using ${sql.table(records)}
    where (h.site_id, h.collection, h.record_id) = (${site}, ${collection}, ${id}) and ${which}`;
}
