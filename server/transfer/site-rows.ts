import { sql } from 'kysely';
import { z } from 'zod';
import { deleteRevisions, insertRevisions } from '../../shared/content/history.ts';
import { coursePartsCheck, tooManyCourseParts } from '../../shared/contract/features/curriculum.ts';
import type { Actor } from '../../shared/contract/history.ts';
import type { Transaction } from '../../shared/db/config.ts';
import type { ArchiveTable } from './archive/archive-columns.ts';
import type { Destination, ImportTarget } from './import-target.ts';

const db = ({ deps }: ImportTarget) => deps.database.em.getKysely();

/**
 * Returns the keys of those rows that the site already has. A key consists of the columns in `names`, in the form of
 * `keyOf`.
 */
export async function findTaken(
  { target, table: { table, columns, fixed = {} } }: Destination,
  names: readonly string[],
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const keys = names.map((name) => {
    const type = sql.raw(columns[name]?.contract.type === 'number' ? 'integer[]' : 'text[]');
    return sql`${rows.map((row) => row[name])}::${type}`;
  });
  const matches = names.map((name) => sql`${sql.ref(`r.${name}`)} = ${sql.ref(`k.${name}`)}`);
  const alike = Object.entries(fixed).map(([name, text]) => sql`${sql.ref(`r.${name}`)} = ${text}`);
  const { rows: taken } = await sql<Row>`
    select ${sql.join(names.map((name) => sql.ref(`r.${name}`)))}
    from unnest(${sql.join(keys)}) as k (${sql.join(names.map((name) => sql.ref(name)))})
    join ${sql.table(table)} r on r.site_id = ${target.siteId} and ${sql.join([...matches, ...alike], sql` and `)}`.execute(
    db(target),
  );
  return new Set(taken.map((row) => keyOf({ key: names }, row)));
}

interface ImportedBefore {
  id: string;
  /** Source ID under which the record was imported. */
  sourceId: string;
}

/**
 * Finds earlier imports by the source IDs of `collection`; exact matches come first. IDs that were not imported are
 * missing.
 */
export async function findImported(
  target: ImportTarget,
  collection: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly [ImportedBefore, ...ImportedBefore[]]>> {
  const wantedIds = new Map(sourceIds.map((id) => [id, id]));
  // The source ID of a redirect is its path, which does not depend on the folder of the file.
  for (const id of collection === 'redirects' ? [] : sourceIds)
    for (const former of target.idsOf(id)) if (!wantedIds.has(former)) wantedIds.set(former, id);
  const { rows } = await sql<{ source_id: string; record_id: string }>`
    select source_id, record_id from imported_records
    where site_id = ${target.siteId} and source = ${target.source} and collection = ${collection}
      and source_id = any(${[...wantedIds.keys()]}::text[])`.execute(db(target));
  const found = new Map<string, [ImportedBefore, ...ImportedBefore[]]>();
  for (const { source_id, record_id } of rows) {
    const wanted = wantedIds.get(source_id) ?? source_id;
    const one = { id: record_id, sourceId: source_id };
    const others = found.get(wanted) ?? [];
    found.set(wanted, source_id === wanted ? [one, ...others] : ([...others, one] as [ImportedBefore]));
  }
  return found;
}

/** Finds parent records by ID, with the columns that their children repeat. IDs that do not exist are missing. */
export async function findParents(
  target: ImportTarget,
  { table, same }: NonNullable<ArchiveTable['parent']>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const held = Object.entries(same).map(
    ([name, column]) =>
      sql`, to_char(${sql.ref(column)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Row>`
    select id${sql.join(held, sql``)} from ${sql.table(table)}
    where site_id = ${target.siteId} and id = any(${ids}::text[])`.execute(db(target));
  return new Map(rows.map((row) => [String(row.id), row]));
}

export type Row = Record<string, unknown>;

/** Returns the key that identifies a row within the site: the values of its columns in `key`, one per line. */
export const keyOf = ({ key }: Pick<ArchiveTable, 'key'>, row: Row) =>
  key.map((name) => String(row[name])).join('\n');

/** Inserts rows in one statement and returns the keys of the new ones. */
export async function insertRows(
  { em, siteId }: { em: Transaction; siteId: string },
  archiveTable: Pick<ArchiveTable, 'table' | 'columns' | 'key' | 'fixed' | 'parent' | 'begins'>,
  rows: readonly Row[],
): Promise<ReadonlySet<string>> {
  const { table, columns, key, fixed = {}, parent, begins = {} } = archiveTable;
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
  return new Set(inserted.map((row) => keyOf(archiveTable, row)));
}

/** True for an error of SQLSTATE class 22 or 23: PostgreSQL cannot store a value. */
export const isUnstorable = (error: unknown) => /^2[23]/.test(Failure.safeParse(error).data?.code ?? '');

/** Returns the reason that a report states for an error of `isUnstorable`. */
export const whyUnstorable = (error: unknown) =>
  Failure.safeParse(error).data?.constraint === coursePartsCheck
    ? `Not imported: ${tooManyCourseParts}`
    : 'Not imported: the database cannot store its values';

const Failure = z.object({ code: z.string(), constraint: z.string().optional() });

interface RecordsOf {
  siteId: string;
  collection: string;
}

/** Starts the histories of new records; `changed` lists the fields with other than default values. */
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
 * Deletes later revisions of records that were deleted after their export. An imported record continues from its own revision.
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
