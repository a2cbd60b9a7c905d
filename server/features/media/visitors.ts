import { z } from 'zod';
import { media } from '../../../shared/contract/limits.ts';
import { Media } from '../../../shared/contract/media.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { keyProcedure } from '../../access/procedures.ts';

/** What a page needs to show an image in the size that fits. */
const ShownImage = Media.pick({ id: true, name: true, width: true, height: true, widths: true }).meta({
  title: undefined,
});

/** The images of these ids, as far as the site has them. */
export const shownImages = keyProcedure
  .meta({ scope: 'read', reads: ['media'] })
  .input(z.strictObject({ ids: z.array(z.string()).max(media.mostSized) }))
  .output(simpleList(ShownImage))
  .query(async ({ ctx, input }) => {
    const query = ctx.deps.database.em
      .getKysely()
      .selectFrom('media')
      .select(['id', 'name', 'width', 'height', 'widths'])
      .where('site_id', '=', ctx.siteId)
      .where('id', 'in', input.ids)
      .where('width', 'is not', null);
    return { data: await query.execute() };
  });
