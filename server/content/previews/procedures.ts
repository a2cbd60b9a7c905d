import { z } from 'zod';
import { Deleted } from '../../../shared/contract/envelopes.ts';
import { Curriculum } from '../../../shared/contract/features/curriculum.ts';
import {
  CreatedPreview,
  CreatePreview,
  Preview,
  Previewed,
} from '../../../shared/contract/features/previews.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { includeQuery } from '../../../shared/contract/sharing.ts';
import { pageOf } from '../../../shared/contract/site-paths.ts';
import { keyProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { get } from '../../api/access/route.ts';
import { deletes, router } from '../../api/trpc.ts';
import { readOutline } from '../courses/store.ts';
import { createPreview, listPreviews, readPreviewed, revokePreview } from './store.ts';

const staff = staffProcedure('content');

const studio = router({
  list: staff
    .output(simpleList(Preview))
    .query(async ({ ctx }) => ({ data: await listPreviews(ctx.deps, ctx.siteId) })),

  create: staff
    .input(CreatePreview)
    .output(CreatedPreview)
    .mutation(({ ctx, input }) => createPreview(ctx, input)),

  revoke: staff
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => revokePreview(ctx, input.id))),
});

/** GET /v2/preview: record that a preview link's token opens, for front ends with pages of their own. */
const shown = get({
  path: '/v2/preview',
  scope: 'read:content',
  tag: 'previews',
  summary: 'Get the draft of a preview link',
})
  .meta({ previewToken: true, errors: ['not_found'] })
  .input(z.object(includeQuery).prefault({}))
  .output(Previewed)
  .query(async ({ ctx, input }) => {
    const shown = await readPreviewed({ ...ctx, ...input }, ctx.previewToken);
    const { isShown: _, reader: __, ...previewed } = shown;
    return previewed;
  });

const Reader = z.strictObject({
  signedIn: z.boolean(),
  tiers: z.array(z.string()).readonly(),
  purchases: z.array(z.string()).readonly(),
});

/** Content of a preview link's page. Once its record is published, it contains the record's address. */
const visited = keyProcedure
  .meta({ scope: 'read' })
  .input(z.strictObject({ token: z.string() }))
  .output(
    z.union([
      z.strictObject({ to: z.string() }),
      z.strictObject({ previewed: Previewed, reader: Reader, outline: Curriculum.nullable() }),
    ]),
  )
  .query(async ({ ctx, input }) => {
    const shown = await readPreviewed({ ...ctx, include: ['cover', 'meta'] }, input.token);
    const { isShown, reader, ...previewed } = shown;
    const { collection, record } = previewed;
    const to = isShown && pageOf(resources[collection].name, record.slug);
    if (to) return { to };
    const outline = collection === 'courses' ? await readOutline(ctx.deps, ctx.siteId, record.id) : null;
    return { previewed, reader, outline };
  });

export const previews = {
  v2: { preview: router({ get: shown }) },
  studio: { previews: studio },
  visitors: { preview: visited },
};
