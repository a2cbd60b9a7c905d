import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../contract/history.ts';
import { keptRevisions } from '../contract/limits.ts';
import type { Transaction } from '../db/config.ts';

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

interface RecordsOf {
  siteId: string;
  collection: string;
}

/** Begins the history of new records, of which `changed` says what fields somebody set. */
export async function beginHistories(
  em: Transaction,
  { siteId, collection, actor, at }: RecordsOf & { actor: Actor; at: Date },
  records: readonly { id: unknown; changed: readonly string[] }[],
) {
  await sql`
    with writes as (
      select ${siteId}::text as site_id, ${collection}::text as collection, id, 1 as revision, changed, '{}'::jsonb as previous
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as created (id text, changed text[])
    ),
    ${insertRevisions(actor, at)} select`.execute(em.getKysely());
}

/**
 * Forgets what was written to records after these revisions of them: whoever imports a record that was deleted since
 * goes on from there.
 */
export async function deleteLaterRevisions(
  em: Transaction,
  { siteId, collection }: RecordsOf,
  records: readonly { id?: unknown; revision?: unknown }[],
) {
  await sql`
    with imported as (
      select ${siteId}::text as site_id, ${collection}::text as collection, id, revision
      from unnest(${records.map(({ id }) => id)}::text[], ${records.map(({ revision }) => revision)}::integer[]) as r (id, revision)
    )
    ${deleteRevisions('imported', sql`h.revision > imported.revision`)}`.execute(em.getKysely());
}
