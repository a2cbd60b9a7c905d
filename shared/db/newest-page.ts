import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from './config.ts';

interface NewestPageOptions<DB, T extends keyof DB, Row> {
  database: Database;
  siteId: string;
  /** Query whose order matches an index of the site, so that the first rows are read directly. */
  rows: SelectQueryBuilder<DB, T, Row>;
  /** Conditions that no index answers: PostgreSQL evaluates them for each row. */
  where?: readonly RawBuilder<SqlBool>[];
  /** Reads the stored number of rows, if the list has one. */
  counted?: (() => Promise<number>) | undefined;
}

/**
 * Maximum number of rows that may be read or counted outside the quota of searches. Reading them takes milliseconds.
 */
export const maxScannedRows = 10_000;

/**
 * Reads one page of rows, highest values of the columns `by` first (with `asc`, lowest first), and counts all rows. A
 * page after the last one is empty. A query that may read more than `maxScannedRows` rows waits in the site's quota of
 * searches. Throws `DatabaseBusyError` if too many queries wait there.
 */
export async function newestPage<DB, T extends keyof DB, Row>(
  { database, siteId, rows, where = [], counted }: NewestPageOptions<DB, T, Row>,
  {
    page,
    per_page,
    by = ['created', 'id'],
    direction = 'desc',
  }: { page: number; per_page: number; by?: readonly string[]; direction?: 'asc' | 'desc' },
) {
  const search = <Result>(work: () => Promise<Result>) => database.quotas.searches(siteId, work);
  const matching = where.reduce((some, one) => some.where(one), rows);
  const offset = (page - 1) * per_page;
  const columns = by.map((column) => sql.ref(column));
  const inOrder = (some: typeof rows) =>
    columns.reduce((ordered, column) => ordered.orderBy(column, direction), some);
  const paged = inOrder(matching).limit(per_page).offset(offset);
  const isShort = where.length === 0 && offset + per_page <= maxScannedRows;

  if (isShort) {
    const [items, few] = await database.quotas.ownLists(siteId, async () => [
      await paged.execute(),
      await (counted?.() ?? countRows(database, matching, maxScannedRows + 1)),
    ]);
    const total = counted || few <= maxScannedRows ? few : await search(() => countRows(database, matching));
    return { items, page, per_page, total };
  }
  return search(async () => {
    // The two queries run one after the other, because a search has one connection. The subquery finds the page in the
    // index alone if the index has all columns it needs.
    const items = await inOrder(
      matching.where(sql<SqlBool>`(${sql.join(columns)}) in (
        ${paged.clearSelect().select(columns.map((column, at) => column.as(`place_${at}`)))})`),
    )
      .select(sql`array[${sql.join(columns.map((column) => sql`${column}::text`))}]`.as('place'))
      .$castTo<Row>()
      .execute();
    const last = items.map((item) => takePlace(Object(item))).at(-1);
    if (items.length < per_page && (last || page === 1))
      return { items, page, per_page, total: offset + items.length };
    // The rows before the page were already read, so only those after it are counted.
    const isBeyond = direction === 'desc' ? sql`<` : sql`>`;
    const beyond =
      last && matching.where(sql<SqlBool>`(${sql.join(columns)}) ${isBeyond} (${sql.join(last)})`);
    const total =
      (await counted?.()) ??
      (beyond
        ? offset + items.length + (await countRows(database, beyond))
        : await countRows(database, matching));
    return { items, page, per_page, total };
  });
}

/** Removes the helper column `place` from a row and returns the values that it was sorted by. */
function takePlace(row: object): string[] {
  const position: unknown = Reflect.get(row, 'place');
  Reflect.deleteProperty(row, 'place');
  return Place.parse(position);
}

const Place = z.array(z.string());

/** Counts rows; the result is at most `max`, if given. */
async function countRows<DB, T extends keyof DB, Row>(
  { em }: Database,
  query: SelectQueryBuilder<DB, T, Row>,
  max?: number,
): Promise<number> {
  const rows = query.clearSelect().select(sql`1`.as('one'));
  const counts = await sql<{ total: number }>`
    select count(*) as total from (${max === undefined ? rows : rows.limit(max)}) counted`.execute(
    em.getKysely(),
  );
  return counts.rows[0]?.total ?? 0;
}
