import { type SelectQueryBuilder, sql } from 'kysely';

interface NumberedPage {
  page: number;
  per_page: number;
  /** Columns of which the highest comes first. */
  by?: readonly string[];
}

/** One page of the selected rows by its number, newest first, and how many there are in all: counted unless `known`. */
export async function newestPage<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
  { page, per_page, by = ['created', 'id'] }: NumberedPage,
  known?: Promise<number>,
) {
  const newest = by.reduce((ordered, column) => ordered.orderBy(sql.ref(column), 'desc'), query);
  const offset = (page - 1) * per_page;
  const [items, total] = await Promise.all([
    newest.limit(per_page).offset(offset).execute(),
    known ?? countRows(query),
  ]);
  return { items, page, per_page, total };
}

async function countRows<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
): Promise<number> {
  const { total } = await query
    .clearSelect()
    .select(sql`count(*)`.as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  return total;
}
