import { sql } from 'kysely';
import { z } from 'zod';
import { listsOnPages } from '../../../shared/contract/limits.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { router } from '../../kernel/trpc.ts';
import { contentTables, typedRows } from '../records/collection.ts';
import { everything, listedRows } from '../records/listed-rows.ts';
import { selectPublic } from '../records/reads.ts';

const collections = ['posts', 'projects', 'courses'] as const;

/** Most parts that a collection has in the sitemap. */
const mostParts = 1_000;

const Part = z.strictObject({
  collection: z.enum(collections),
  from: RecordId.describe('ID of the first record of the part'),
});

const Address = z.strictObject({ slug: z.string(), updated: z.date() });

const read = keyProcedure.meta({ scope: 'read', reads: [...collections] });

/** Addresses of all public records, in parts that are small however many there are. */
export const sitemap = router({
  parts: read.output(simpleList(Part)).query(async ({ ctx }) => {
    const parts: z.infer<typeof Part>[] = [];
    for (const collection of collections) {
      const list = { ...ctx, resource: resources[collection] };
      const ids = listedRows({ collection: list, audience: 'readers', conditions: everything }).select([
        'id',
        sql`row_number() over (order by id)`.as('place'),
      ]);
      const { rows } = await sql<{ id: string }>`
        select id from (${ids}) placed where (place - 1) % ${listsOnPages.inSitemap}::integer = 0
        order by id limit ${mostParts}::integer`.execute(contentTables(list));
      parts.push(...rows.map(({ id }) => ({ collection, from: id })));
    }
    return { data: parts };
  }),
  part: read
    .input(Part)
    .output(simpleList(Address))
    .query(async ({ ctx, input: { collection, from } }) => {
      const rows = await selectPublic({ ...ctx, resource: resources[collection] }, ['slug', 'updated'])
        .where('id', '>=', from)
        .orderBy('id')
        .limit(listsOnPages.inSitemap)
        .execute();
      return { data: typedRows<z.infer<typeof Address>>(rows) };
    }),
});
