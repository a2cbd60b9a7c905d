import { sql } from 'kysely';
import { z } from 'zod';
import type { Transaction } from '../../../shared/db/config.ts';
import type { Carried } from './carried.ts';

export type Row = Record<string, unknown>;

/** What tells rows of one site apart. */
export const keyOf = ({ key }: Pick<Carried, 'key'>, row: Row) =>
  key.map((name) => String(row[name])).join('\n');

/** Stores rows in one statement, and gives the keys of those that were not there yet. */
export async function insertRows(
  em: Transaction,
  carried: Pick<Carried, 'table' | 'columns' | 'key' | 'fixed' | 'parent' | 'begins'>,
  siteId: string,
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

/**
 * Forgets what was written to records after they were as these rows have them: whoever imports a record that was deleted
 * since goes on from there.
 */
export async function forgetLaterWrites(
  em: Transaction,
  { table }: Pick<Carried, 'table'>,
  siteId: string,
  rows: readonly Row[],
) {
  await sql`
    delete from record_revisions h
    using unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ revision }) => revision)}::integer[]) as r (id, revision)
    where h.site_id = ${siteId} and h.collection = ${table} and h.record_id = r.id and h.revision > r.revision`.execute(
    em.getKysely(),
  );
}

/** PostgreSQL says that it can't hold what it was given: classes 22 and 23. */
export const isUnstorable = (error: unknown) => /^2[23]/.test(Failure.safeParse(error).data?.code ?? '');

const Failure = z.object({ code: z.string() });
