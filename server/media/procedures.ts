import { z } from 'zod';
import { Deleted, Updated } from '../../shared/contract/envelopes.ts';
import {
  ListMedia,
  Media,
  MediaPage,
  MediaUse,
  OwnMedia,
  OwnMediaPage,
  UpdateMedia,
  UpdateOwnMedia,
} from '../../shared/contract/features/media.ts';
import { media } from '../../shared/contract/limits.ts';
import { namesOf } from '../../shared/contract/names-of.ts';
import { simpleList } from '../../shared/contract/pagination.ts';
import { ById } from '../../shared/contract/record-id.ts';
import { accessTo } from '../../shared/media/protected-files.ts';
import { keyProcedure, staffProcedure } from '../api/access/procedures.ts';
import { del, get, patch } from '../api/access/route.ts';
import type { Context } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import { deletes, router, updates } from '../api/trpc.ts';
import { usesOf } from './media-uses.ts';
import { deleteMedia, getMedia, listMedia, mediaRevision, updateMedia } from './store.ts';
import { uploadMedia, uploadOwnMedia } from './upload.ts';

const staff = staffProcedure('media');

async function taggedMedia({ deps, siteId, answer }: Context & { siteId: string }, id: string) {
  const file = await getMedia(deps, siteId, id);
  answer.revision = mediaRevision(file);
  return file;
}

type StoredMedia = Omit<OwnMedia, 'access'>;

const forPrograms = ({ created_by: _, ...file }: StoredMedia): Media => file;

const forStaff = ({ deps, siteId }: { deps: Deps; siteId: string }, file: StoredMedia): OwnMedia => ({
  ...file,
  access: file.protected ? accessTo(deps.secrets, { site_id: siteId, id: file.id }, deps.clock.now()) : '',
});

const studio = router({
  list: staff
    .input(ListMedia)
    .output(OwnMediaPage)
    .query(async ({ ctx, input }) => {
      const { items, ...page } = await listMedia(ctx.deps, ctx.siteId, input);
      return { items: items.map((file) => forStaff(ctx, file)), ...page };
    }),

  get: staff
    .meta({ tagged: true })
    .input(ById)
    .output(OwnMedia)
    .query(async ({ ctx, input }) => forStaff(ctx, await taggedMedia(ctx, input.id))),

  update: staff
    .meta({ conditional: true, errors: ['media_in_use'] })
    .input(UpdateOwnMedia)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateMedia(ctx, input))),

  uses: staff
    .input(ById)
    .output(simpleList(MediaUse))
    .query(async ({ ctx, input }) => ({ data: await usesOf(ctx.deps, ctx.siteId, input.id) })),

  delete: staff
    .meta({ reachesOut: true })
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteMedia(ctx, input.id))),
});

const route = { scope: 'write:media', tag: 'media' } as const;

const v2 = router({
  list: get({ ...route, path: '/v2/media', summary: 'List files, newest first' })
    .input(ListMedia)
    .output(MediaPage)
    .query(async ({ ctx, input }) => {
      const { items, ...page } = await listMedia(ctx.deps, ctx.siteId, input);
      return { items: items.map(forPrograms), ...page };
    }),

  get: get({ ...route, path: '/v2/media/{id}', summary: 'Get the metadata of a file' })
    .meta({ tagged: true })
    .input(ById)
    .output(Media)
    .query(async ({ ctx, input }) => forPrograms(await taggedMedia(ctx, input.id))),

  update: patch({
    ...route,
    path: '/v2/media/{id}',
    summary: 'Update the alternative text, caption and focal point of a file',
  })
    .meta({ conditional: true, audited: true })
    .input(UpdateMedia)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateMedia(ctx, input))),

  delete: del({ ...route, path: '/v2/media/{id}', summary: 'Delete a file, even if it is in use' })
    .meta({ reachesOut: true, audited: true })
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => deleteMedia(ctx, input.id))),
});

/** Fields that a page needs to select a rendition of an image. */
const shownFields = { id: true, name: true, focus: true, width: true, height: true, widths: true } as const;
const ShownImage = Media.pick(shownFields).meta({ title: undefined });

const shownImages = keyProcedure
  .meta({ scope: 'read', reads: ['media'] })
  .input(z.strictObject({ ids: z.array(z.string()).max(media.maxResizedImages) }))
  .output(simpleList(ShownImage))
  .query(async ({ ctx, input }) => {
    const images = ctx.deps.database.em.getKysely().selectFrom('media').select(namesOf(ShownImage));
    const own = images.where('site_id', '=', ctx.siteId).where('id', 'in', input.ids);
    return { data: await own.where('width', 'is not', null).execute() };
  });

/** Procedures for a site's files: for programs, staff and pages. */
export const mediaFiles = {
  v2: { media: v2 },
  studio: { media: studio },
  visitors: { images: shownImages },
  uploads: { media: uploadMedia, ownMedia: uploadOwnMedia },
};
