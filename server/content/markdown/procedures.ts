import { z } from 'zod';
import { documented } from '../../../shared/contract/documented.ts';
import { boundedText } from '../../../shared/contract/fields.ts';
import { isReadFromTheRight } from '../../../shared/i18n/language-rules.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import type { Markdown } from './markdown.ts';

declare module '../../api/deps.ts' {
  interface Deps {
    /** Renders the texts of a site. */
    markdown(siteId: string): Markdown;
    /** Returns the stylesheet of a site's pages, and their text direction. */
    pageStyles(siteId: string): Promise<{ css: string; dir: 'ltr' | 'rtl' }>;
  }
}

/** Renders a body as the site's pages show it. It is a mutation because a body may be longer than a URL. */
const preview = staffProcedure('content')
  .meta({ changesNothing: true, errors: ['busy'] })
  .input(z.strictObject({ content: documented(boundedText(500_000), 'Markdown or HTML', '*Hello*') }))
  .output(
    z.strictObject({
      html: z.string().describe('Sanitized HTML'),
      is_plain: z
        .boolean()
        .describe('True if rendering took too long and the source is returned as plain text'),
      css: z.string().describe('CSS of the pages of the site'),
      dir: z.enum(['ltr', 'rtl']).describe('Text direction'),
    }),
  )
  .mutation(async ({ ctx, input }) => {
    const { made, isPlain } = await ctx.deps.markdown(ctx.siteId).render(input.content);
    const { css, dir } = await ctx.deps.pageStyles(ctx.siteId);
    const own = isReadFromTheRight(input.content) ? 'rtl' : dir;
    return { html: made.html, is_plain: isPlain, css, dir: own };
  });

export const markdown = { studio: { preview } };
