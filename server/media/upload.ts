import { z } from 'zod';
import { Media } from '../../shared/contract/features/media.ts';
import { plans } from '../../shared/contract/plans.ts';
import type { ConcurrencyQuota } from '../../shared/db/concurrency-quota.ts';
import { within } from '../../shared/runtime/timeouts.ts';
import { admin, post, type Route } from '../api/access/route.ts';
import { ApiError } from '../api/api-error.ts';
import type { Context } from '../api/context.ts';
import type { IncomingForm } from '../api/incoming-file.ts';
import { t } from '../api/trpc.ts';
import { type ExaminedFile, examine } from './inspect-in-thread.ts';
import { cameTooLate, receive } from './receive-upload.ts';
import { type MediaUpload, planOf, storeFile } from './store.ts';

declare module '../api/deps.ts' {
  interface Deps {
    /** Concurrency limit for uploads, whose files occupy disk space and take time. */
    uploads: ConcurrencyQuota;
  }
}

const UploadForm = z.object({
  file: z
    .custom<IncomingForm>((value) => typeof value === 'object' && value !== null && 'open' in value, {
      error: 'must be a file',
    })
    .meta({
      description: 'File to upload; its type is detected from the content, not from its name or media type',
      type: 'string',
      format: 'binary',
    }),
});

const about: Omit<Route, 'path'> = {
  tag: 'media',
  summary: 'Upload a file',
  contentTypes: ['multipart/form-data'],
};

const refusals = [
  'unsupported_media_type',
  'media_damaged',
  'image_too_large',
  'media_full',
  'uploads_busy',
  'media_unavailable',
  'insufficient_storage',
  'busy',
] as const;

/**
 * Receives a form with a file as soon as the quota for uploads has a free slot, and examines the file before anything
 * is stored. The temporary file exists while the procedure runs. An upload of the same bytes with the same name counts
 * as a repetition.
 */
const receivedFile = t.procedure
  // The media store may be remote, so no transaction waits for it.
  .meta({ multipart: true, mayBeThere: true, reachesOut: true, errors: refusals })
  .input(UploadForm)
  .use(async ({ ctx, input: { file }, next }) => {
    const { siteId } = ctx;
    if (siteId === undefined) throw new Error('an upload requires a credential of a site');
    const plan = await planOf(ctx.deps, siteId);
    const wait = ctx.deps.timeouts.upload;
    // The file must begin to arrive before the upload takes a slot of the quota. A client that sends only headers
    // then blocks no other upload.
    const incoming = await within(wait.stalledMs, file.open(), cameTooLate);
    return inTurn(ctx, siteId, async () => {
      const bounds = { maxBytes: plans[plan].media.file, wait };
      return receive(incoming, bounds, async (received) => {
        const examined = await examine(ctx.deps.threadPool, siteId, received);
        if (ctx.idempotency) ctx.idempotency.body = JSON.stringify([incoming.name, examined.sha256]);
        const upload = { siteId, plan, actor: ctx.actor, name: incoming.name };
        return next({ ctx: { keep: () => keep(ctx, examined, upload) } });
      });
    });
  });

/** Runs `work` as soon as the quota for uploads has a free slot. Throws `uploads_busy` if that takes too long. */
async function inTurn<T>({ deps }: Context, siteId: string, work: () => Promise<T>): Promise<T> {
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    return work();
  };
  return deps.uploads(siteId, begin).catch((cause: unknown) => {
    throw hasBegun ? cause : new ApiError('uploads_busy', undefined, { cause, retryAfter: 1 });
  });
}

async function keep({ deps, answer }: Context, examined: ExaminedFile, upload: MediaUpload): Promise<Media> {
  const { file, isNew } = await storeFile(deps, examined, upload);
  if (!isNew) answer.status = 200;
  return file;
}

export const uploadMedia = post({ ...about, path: '/v2/media', scope: 'write:media' })
  .concat(receivedFile)
  .output(Media)
  .mutation(({ ctx }) => ctx.keep());

/** Upload by people who work on the site. The tier allows many at a time, because images often come in batches. */
export const uploadOwnMedia = admin
  .post({ ...about, path: '/admin/media', area: 'media' })
  .concat(receivedFile)
  .meta({ tier: 'studio', unaudited: 'listed', errors: [...refusals, 'insufficient_role'] })
  .output(Media)
  .mutation(({ ctx }) => ctx.keep());
