import { sql } from 'kysely';
import { z } from 'zod';
import { listsOnPages } from '../../../shared/contract/limits.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { page } from '../../../shared/contract/resources/page.ts';
import { included } from '../../../shared/contract/sharing.ts';
import { keyProcedure } from '../../api/access/procedures.ts';
import { found } from '../../api/api-error.ts';
import { cachedRead } from '../../api/cache/cached-read.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { router } from '../../api/trpc.ts';
import { contentTables, typedRow, typedRows } from '../records/collection.ts';
import { including } from '../records/include-covers.ts';
import { publicRows } from '../records/list-query.ts';
import { selectPublic } from '../records/public-reads.ts';

const collections = ['posts', 'projects', 'courses'] as const;

/** Maximum number of sitemap parts for a collection. */
const maxParts = 1_000;

const Part = z.strictObject({
  collection: z.enum(collections),
  from: RecordId.describe('ID of the first record of the part'),
});

const Address = z.strictObject({ slug: z.string(), updated: z.date() });

const readContent = keyProcedure.meta({ scope: 'read', reads: [...collections] });

/** Slugs of all public posts, projects and courses, in parts of a bounded size. */
const sitemap = router({
  parts: readContent.output(simpleList(Part)).query(async ({ ctx }) => {
    const parts: z.infer<typeof Part>[] = [];
    for (const collection of collections) {
      const list = { ...ctx, resource: resources[collection] };
      const ids = publicRows(list).select(['id', sql`row_number() over (order by id)`.as('place')]);
      const { rows } = await sql<{ id: string }>`
        select id from (${ids}) placed where (place - 1) % ${listsOnPages.inSitemap}::integer = 0
        order by id limit ${maxParts}::integer`.execute(contentTables(list));
      parts.push(...rows.map(({ id }) => ({ collection, from: id })));
    }
    return { data: parts };
  }),
  part: readContent
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

const { title, slug, content, visibility } = page.fields;

const VisitedPage = z.strictObject({
  title: title.output,
  slug: slug.output,
  content: content.output,
  visibility: visibility.output,
  updated: z.date(),
  ...included,
});

type VisitedPage = z.infer<typeof VisitedPage>;

const PageSummary = VisitedPage.pick({ title: true, slug: true, updated: true });

const read = keyProcedure.meta({ scope: 'read' });

/** Custom pages for the public site. An unlisted page is available by its slug, but in no list. */
const visitors = router({
  list: read
    .concat(cachedRead(page.collection))
    .output(simpleList(PageSummary))
    .query(async ({ ctx }) => ({
      data: await rows(ctx.deps, ctx.siteId)
        .select(['title', 'slug', 'updated'])
        .where('visibility', '=', 'public')
        .orderBy(sql`title collate "und-x-icu"`)
        .orderBy('id')
        .limit(maxListed)
        .execute(),
    })),
  get: read
    .meta({ reads: [page.collection, 'media'] })
    .input(z.object({ slug: SlugAddress }))
    .output(VisitedPage)
    .query(async ({ ctx, input }) => {
      const row = await rows(ctx.deps, ctx.siteId)
        .select(['title', 'slug', 'content', 'visibility', 'updated'])
        .select(['cover', 'meta_title', 'meta_description'])
        .where('slug', '=', input.slug)
        .where('visibility', 'in', ['public', 'unlisted'])
        .executeTakeFirst();
      const [shown] = await including(ctx, [typedRow<VisitedPage>(found(row))], ['cover', 'meta']);
      return found(shown);
    }),
});

/** Maximum number of pages in the navigation and the sitemap. */
const maxListed = 1_000;

const rows = ({ database }: StoreDeps, siteId: string) =>
  database.em.getKysely().selectFrom('pages').where('site_id', '=', siteId).where('is_draft', '=', false);

export const pages = { visitors: { pages: visitors, sitemap } };
