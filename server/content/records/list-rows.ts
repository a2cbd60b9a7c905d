import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import { largeAnswers } from '../../../shared/contract/limits.ts';
import type { RecordSize } from '../../api/context.ts';
import { LargeAnswerError } from '../../api/large-answer.ts';
import { type Collection, type ContentQuery, contentTables } from './collection.ts';

/** Selects columns of a list's records, in the list's order. */
type Select = (columns: readonly string[]) => ContentQuery;

/**
 * Fetches the rows of a list; an unbounded list has all records of the collection. Throws `LargeAnswerError` before it
 * fetches anything if the rows are too large for memory. Such a list is then fetched in parts: `collection.listPart`
 * selects the rows of one, or receives the sizes of all.
 */
export async function listRows(
  collection: Collection<Fields>,
  columns: readonly string[],
  select: Select,
  isUnbounded = false,
): Promise<object[]> {
  const { listPart, resource } = collection;
  if (listPart && 'ids' in listPart)
    return select(columns)
      .where('id', 'in', [...listPart.ids])
      .execute();
  if (listPart && isUnbounded) {
    listPart.sizes = await openSizes(collection, columns, select);
    return [];
  }
  if (listPart) {
    const { rows, sizes } = await lightRows(collection, columns, select);
    listPart.sizes = sizes;
    return rows;
  }
  const mayBeLarge = isUnbounded || columns.some((name) => isLong(resource.fields, name));
  if (!mayBeLarge) return select(columns).execute();
  const db = contentTables(collection);
  const listed = isUnbounded ? select(columns).limit(maxRecords) : select(columns);
  const { rows } = await sql<object>`
    with listed as materialized (${listed})
    select * from listed where (select sum(${bytesOf(resource.fields, columns)}) from listed) <= ${largeAnswers.fromBytes}::bigint`.execute(
    db,
  );
  if (rows.length > 0) return rows;
  const first = await select(['id']).limit(1).execute();
  if (first.length > 0) throw new LargeAnswerError();
  return [];
}

/** Bytes of a record apart from its texts. */
const overheadBytes = 100;

/** Number of records that is too large for memory, whatever their size. */
const maxRecords = Math.floor(largeAnswers.fromBytes / overheadBytes) + 1;

const Size = z.object({ id: z.string(), bytes: z.number() });

/** Number of sizes that are fetched at a time for an unbounded list. */
const sizesAtOnce = 1_000;

/** Yields the sizes of a list's records, within the transaction that reads the response. */
async function openSizes(
  collection: Collection<Fields>,
  columns: readonly string[],
  select: Select,
): Promise<AsyncIterable<RecordSize>> {
  const db = contentTables(collection);
  const bytes = bytesOf(collection.resource.fields, columns).as('bytes');
  await sql`declare sizes no scroll cursor for ${select(['id']).select(bytes)}`.execute(db);
  const fetch = async () => {
    const { rows } = await sql`fetch ${sql.lit(sizesAtOnce)} from sizes`.execute(db);
    return rows.map((row) => Size.parse(row));
  };
  // The first sizes are fetched before the response begins, because the query may take long or fail.
  const first = await fetch();
  return (async function* () {
    for (let sizes = first; sizes.length > 0; sizes = await fetch()) yield* sizes;
  })();
}

/** Returns rows without their long columns, with the size of each record in bytes. */
async function lightRows(collection: Collection<Fields>, columns: readonly string[], select: Select) {
  const { fields } = collection.resource;
  const all = [...new Set(['id', ...columns])];
  const light = all.filter((name) => !isLong(fields, name));
  const { rows } = await sql<Record<string, unknown>>`
    with listed as materialized (${select(all)})
    select ${sql.join(light.map((name) => sql.ref(name)))}, ${bytesOf(fields, all)} as bytes from listed`.execute(
    contentTables(collection),
  );
  return { rows: rows.map(({ bytes: _, ...row }) => row), sizes: rows.map((row) => Size.parse(row)) };
}

export const isLong = (fields: Fields, name: string) =>
  ['markdown', 'paragraph', 'list'].includes(fields[name]?.kind ?? '');

/** SQL: bytes of a record's texts, which PostgreSQL knows without decompressing them. */
function bytesOf(fields: Fields, columns: readonly string[]): RawBuilder<number> {
  const sizes = columns.flatMap((name) => {
    const column = fields[name]?.column;
    if (column === 'text') return [sql`coalesce(octet_length(${sql.ref(name)}), 0)`];
    return column === 'text[]' ? [sql`coalesce(octet_length(array_to_string(${sql.ref(name)}, '')), 0)`] : [];
  });
  return sql`(${sql.join([sql.lit(overheadBytes), ...sizes], sql` + `)})::bigint`;
}
