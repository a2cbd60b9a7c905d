import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Fields } from '../../../shared/contract/fields.ts';
import { listsOnPages, textsOnPages } from '../../../shared/contract/limits.ts';
import { numberedPage } from '../../../shared/contract/pagination.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import { keyProcedure } from '../../api/access/procedures.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import { readableNames, typedRows } from '../records/collection.ts';
import { including } from '../records/include-covers.ts';
import { publicRows } from '../records/list-query.ts';
import { isLong } from '../records/list-rows.ts';
import { count, selectPublic } from '../records/public-reads.ts';

const Part = z.object({ page: z.int().min(1), per_page: z.int().min(1).max(listsOnPages.inLine) });

/**
 * Creates the procedure by which the site's pages list public records: one page, in the owner's order, with covers. The
 * size of the response is bounded. Descriptions are complete up to a total length; later records have only their
 * beginnings.
 */
export const visitorsList = <F extends Fields>(resource: Resource<F>) =>
  keyProcedure
    .meta({ scope: 'read' })
    .concat(cachedRead(resource.collection, Part))
    .output(
      numberedPage(resource.read).extend({
        whole: z.int().describe('Number of leading records whose descriptions are complete'),
      }),
    )
    .query(async ({ ctx, input: { page, per_page } }) => {
      const collection = { ...ctx, resource };
      const include = 'cover' in resource.fields ? (['cover'] as const) : [];
      const order = ownOrder(resource.fields);
      const part = publicRows(collection)
        .select('id')
        .orderBy(order)
        .limit(per_page)
        .offset((page - 1) * per_page);
      const query = selectPublic(collection, [])
        .where('id', 'in', part)
        .select(boundedColumns(resource.fields, [...readableNames(resource.fields), ...include], order))
        .orderBy(order);
      const total = await count(collection);
      const find = () => query.execute();
      const rows = await (total > maxSorted ? ctx.deps.database.quotas.searches(ctx.siteId, find) : find());
      const items = typedRows<RecordOf<F>>(rows.map(({ is_whole: _, ...row }) => row));
      return {
        items: await including(collection, items, [...include]),
        ...{ page, per_page, total },
        whole: rows.filter(({ is_whole }) => is_whole).length,
      };
    });

/**
 * Number of records above which a list takes a slot of the quota for searches. No index has the owner's order, so the
 * list is sorted.
 */
const maxSorted = 10_000;

/** Sorts by position, then by date, then newest first. Position and date apply only if the collection has the field. */
const ownOrder = (fields: Fields) =>
  sql.join([
    ...('sort_order' in fields ? [sql`sort_order`] : []),
    // Dates are stored as year, month and day, so that they sort as texts.
    ...('date' in fields ? [sql`coalesce(date, '') collate "C" desc`] : []),
    sql`created desc, id desc`,
  ]);

/**
 * Creates the columns. A long text is complete while the texts of its column up to this row fit in
 * `textsOnPages.whole`; after that, only its beginning is selected. `is_whole` is true while the descriptions fit, and
 * always true without descriptions.
 */
function boundedColumns(fields: Fields, names: readonly string[], order: RawBuilder<unknown>) {
  const isWhole = (name: string) =>
    sql<boolean>`sum(length(${
      fields[name]?.column === 'text[]' ? sql`array_to_string(${sql.ref(name)}, '')` : sql.ref(name)
    })) over (order by ${order} rows unbounded preceding) <= ${sql.lit(textsOnPages.whole)}`;
  const beginning = (name: string) =>
    fields[name]?.column === 'text[]'
      ? sql`${sql.ref(name)}[1:${sql.lit(textsOnPages.entries)}]`
      : sql`left(${sql.ref(name)}, ${sql.lit(textsOnPages.beginning + 1)})`;
  const bounded = (name: string) =>
    sql`case when ${isWhole(name)} then ${sql.ref(name)} else ${beginning(name)} end`;
  return [
    ...names.map((name) => (isLong(fields, name) ? bounded(name) : sql.ref(name)).as(name)),
    ('description' in fields ? isWhole('description') : sql<boolean>`true`).as('is_whole'),
  ];
}
