import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../contract/history.ts';
import { keptRevisions } from '../contract/limits.ts';

/**
 * Returns a common table expression that stores revisions. The statement must have an expression `writes` with the
 * columns `site_id`, `collection`, `id`, `revision`, `changed` (names of changed fields) and `previous` (their old
 * values).
 */
export const insertRevisions = (
  actor: Actor,
  at: Date | undefined,
): RawBuilder<unknown> => sql`remembered as (
  insert into record_revisions (site_id, collection, record_id, revision, created, actor, changed, previous)
  select site_id, collection, id, revision, ${at}::timestamptz, ${JSON.stringify(actor)}::jsonb, changed, previous
  from writes)`;

/** Common table expression that deletes the revisions beyond the maximum number (`keptRevisions`). */
export const pruneRevisions: RawBuilder<unknown> = sql`forgotten as (${deleteRevisions('writes', sql`h.revision <= writes.revision - ${keptRevisions}`)})`;

/** SQL that deletes revisions `h` of records, given the name of a table with `site_id`, `collection` and `id`. */
export function deleteRevisions(records: string, which: RawBuilder<unknown>): RawBuilder<unknown> {
  const [site, collection, id] = ['site_id', 'collection', 'id'].map((name) => sql.ref(`${records}.${name}`));
  return sql`delete from record_revisions h using ${sql.table(records)}
    where (h.site_id, h.collection, h.record_id) = (${site}, ${collection}, ${id}) and ${which}`;
}
