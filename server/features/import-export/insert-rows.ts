import { sql } from 'kysely';
import { z } from 'zod';
import { deleteRevisions, insertRevisions } from '../../../shared/content/history.ts';
import { coursePartsCheck, tooManyCourseParts } from '../../../shared/contract/features/curriculum.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import type { Carried } from './archive/archive-columns.ts';

export type Row = Record<string, unknown>;

/** What tells rows of one site apart. */
export const keyOf = ({ key }: Pick<Carried, 'key'>, row: Row) =>
  key.map((name) => String(row[name])).join('\n');

/** Stores rows in one statement, and gives the keys of those that were not there yet. */
export async function insertRows(
  { em, siteId }: { em: Transaction; siteId: string },
  carried: Pick<Carried, 'table' | 'columns' | 'key' | 'fixed' | 'parent' | 'begins'>,
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const { table, columns, key, fixed = {}, parent, begins = {} } = carried;
  const said = Object.keys(columns).filter((name) => !parent?.same[name]);
  const constants = Object.entries({ site_id: siteId, ...fixed });
  const names = [...constants.map(([name]) => name), ...said, ...Object.keys(begins)].map((name) =>
    sql.ref(name),
  );
  const values = [
    ...constants.map(([, text]) => sql`${text}`),
    ...said.map((name) => sql.ref(`r.${name}`)),
    ...Object.values(begins).map((text) => sql.raw(text)),
  ];
  const { rows: inserted } = await sql<Row>`
    insert into ${sql.table(table)} (${sql.join(names)})
    select ${sql.join(values)} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) as r
    on conflict do nothing
    returning ${sql.join(key.map((name) => sql.ref(name)))}`.execute(em.getKysely());
  return new Set(inserted.map((row) => keyOf(carried, row)));
}

/** PostgreSQL says that it can't hold what it was given: classes 22 and 23. */
export const isUnstorable = (error: unknown) => /^2[23]/.test(Failure.safeParse(error).data?.code ?? '');

export const whyUnstorable = (error: unknown) =>
  Failure.safeParse(error).data?.constraint === coursePartsCheck
    ? `Not imported: ${tooManyCourseParts}`
    : 'Not imported: the database cannot store its values';

const Failure = z.object({ code: z.string(), constraint: z.string().optional() });

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
