import { z } from 'zod';
import { boundedText } from '../../../shared/contract/fields.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { renderBody } from './render.ts';

/** A body as the site's pages will show it. A mutation, since what is written may be longer than an address can be. */
export const previewStudio = ownerProcedure
  .meta({ changesNothing: true })
  .input(
    z.strictObject({
      content: boundedText(500_000).meta({ description: 'Markdown or HTML', examples: ['*Hello*'] }),
    }),
  )
  .output(z.strictObject({ html: z.string().meta({ description: 'Safe HTML' }) }))
  .mutation(({ input }) => ({ html: renderBody(input.content) }));
