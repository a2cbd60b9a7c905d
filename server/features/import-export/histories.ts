import { sql } from 'kysely';
import { deleteRevisions, insertRevisions } from '../../../shared/content/history.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import type { Transaction } from '../../../shared/db/config.ts';

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
