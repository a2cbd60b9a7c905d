import { type SelectQueryBuilder, sql } from 'kysely';

/** One page of the selected rows by its number, newest first, and how many there are in all: counted unless `known`. */
export async function newestPage<DB, T extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, T, Row>,
  { page, per_page }: { page: number; per_page: number },
  known?: Promise<number>,
) {
  const newest = query.orderBy(sql.ref('created'), 'desc').orderBy(sql.ref('id'), 'desc');
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
