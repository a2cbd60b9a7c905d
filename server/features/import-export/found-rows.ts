import { sql } from 'kysely';
import type { Carried } from './archive/archive-columns.ts';
import { keyOf, type Row } from './insert-rows.ts';
import type { Destination, ImportTarget } from './target.ts';

const db = ({ deps }: ImportTarget) => deps.database.em.getKysely();

/** Of the values that rows have in `names`, those that rows of the site have already. */
export async function findTaken(
  { target, carried: { table, columns, fixed = {} } }: Destination,
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

export interface ImportedBefore {
  id: string;
  /** Source ID under which it was imported. */
  sourceId: string;
}

/** Finds earlier imports by the source IDs of `collection`, those under exactly this ID first. */
export async function findImported(
  target: ImportTarget,
  collection: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly [ImportedBefore, ...ImportedBefore[]]>> {
  const asked = new Map(sourceIds.map((id) => [id, id]));
  // Redirects are known by where they begin, whatever folder the files were in.
  for (const id of collection === 'redirects' ? [] : sourceIds)
    for (const former of target.idsOf(id)) if (!asked.has(former)) asked.set(former, id);
  const { rows } = await sql<{ source_id: string; record_id: string }>`
    select source_id, record_id from imported_records
    where site_id = ${target.siteId} and source = ${target.source} and collection = ${collection}
      and source_id = any(${[...asked.keys()]}::text[])`.execute(db(target));
  const found = new Map<string, [ImportedBefore, ...ImportedBefore[]]>();
  for (const { source_id, record_id } of rows) {
    const wanted = asked.get(source_id) ?? source_id;
    const one = { id: record_id, sourceId: source_id };
    const others = found.get(wanted) ?? [];
    found.set(wanted, source_id === wanted ? [one, ...others] : ([...others, one] as [ImportedBefore]));
  }
  return found;
}

/** The records that rows belong to, by id, with what the rows say of them. */
export async function findParents(
  target: ImportTarget,
  { table, same }: NonNullable<Carried['parent']>,
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
