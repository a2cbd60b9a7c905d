import { sql } from 'kysely';
import { z } from 'zod';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { SlugAddress } from '../../../shared/contract/record-id.ts';
import { page } from '../../../shared/contract/resources/page.ts';
import { included } from '../../../shared/contract/sharing.ts';
import { keyProcedure } from '../../access/procedures.ts';
import { cachedRead } from '../../cache/cached-read.ts';
import { found } from '../../kernel/api-error.ts';
import type { StoreDeps } from '../../kernel/deps.ts';
import { router } from '../../kernel/trpc.ts';
import { typedRow } from '../records/collection.ts';
import { including } from '../records/included.ts';
import { sitemap } from './sitemap.ts';

const { title, slug, content, visibility } = page.fields;

/** A custom page as its visitors see it. */
const VisitedPage = z.strictObject({
  title: title.output,
  slug: slug.output,
  content: content.output,
  visibility: visibility.output,
  updated: z.date(),
  ...included,
});

type VisitedPage = z.infer<typeof VisitedPage>;

const Listed = VisitedPage.pick({ title: true, slug: true, updated: true });

const read = keyProcedure.meta({ scope: 'read' });

/** Custom pages, for the public site alone: an unlisted one is found by its address, and in no list. */
const visitors = router({
  list: read
    .concat(cachedRead(page.collection))
    .output(simpleList(Listed))
    .query(async ({ ctx }) => ({
      data: await rows(ctx.deps, ctx.siteId)
        .select(['title', 'slug', 'updated'])
        .where('visibility', '=', 'public')
        .orderBy(sql`title collate "und-x-icu"`)
        .orderBy('id')
        .limit(mostListed)
        .execute(),
    })),
  get: read
    .meta({ reads: [page.collection, 'media'] })
    .input(z.object({ slug: SlugAddress }))
    .output(VisitedPage)
    .query(async ({ ctx, input }) => {
      const row = await rows(ctx.deps, ctx.siteId)
        .select([
          'title',
          'slug',
          'content',
          'visibility',
          'updated',
          'cover',
          'meta_title',
          'meta_description',
        ])
        .where('slug', '=', input.slug)
        .where('visibility', 'in', ['public', 'unlisted'])
        .executeTakeFirst();
      const [shown] = await including(ctx, [typedRow<VisitedPage>(found(row))], ['cover', 'meta']);
      return found(shown);
    }),
});

/** Most pages that the navigation and the sitemap name. */
const mostListed = 1_000;

const rows = ({ database }: StoreDeps, siteId: string) =>
  database.em.getKysely().selectFrom('pages').where('site_id', '=', siteId).where('is_draft', '=', false);

export const pages = { visitors: { pages: visitors, sitemap } };
