import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';

interface ManyRows {
  table: string;
  /** ID of the row to copy. */
  like: string;
  count: number;
  /** Columns with unique values. The number of the copy is appended to each. */
  unique?: readonly string[];
}

/** Adds copies of a row, so that a list has several pages. */
export async function addManyRows({ em }: Database, { table, like, count, unique = [] }: ManyRows) {
  const known = await sql<{ column_name: string }>`
    select column_name from information_schema.columns
    where table_name = ${table} and is_generated = 'NEVER'`.execute(em.getKysely());
  const names = known.rows.map(({ column_name }) => column_name);
  const changes = unique.map((name) => sql`${sql.lit(name)}::text, p.${sql.ref(name)} || number`);
  const id = sql`'id', left(p.id, 9) || lpad(number::text, 6, '0')`;
  await sql`
    insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => sql.ref(`r.${name}`)))}
    from ${sql.table(table)} p, generate_series(1, ${count}::integer) as number,
      jsonb_populate_record(p, jsonb_build_object(${sql.join([id, ...changes])})) as r
    where p.id = ${like}`.execute(em.getKysely());
}
