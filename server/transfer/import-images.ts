import path from 'node:path';
import type { Readable } from 'node:stream';
import { mediaUrl } from '../../shared/contract/features/media-address.ts';
import { storableTextOf } from '../../shared/contract/fields.ts';
import { plans } from '../../shared/contract/plans.ts';
import { decodedPath } from '../../shared/contract/site-paths.ts';
import { type FileTree, SourceError } from '../../shared/importers/index.ts';
import { ApiError } from '../api/api-error.ts';
import { type ExaminedFile, examine } from '../media/inspect-in-thread.ts';
import { receive } from '../media/receive-upload.ts';
import { findByHash, planOf, storeFile, updateMedia, usedBytes } from '../media/store.ts';
import { createImageFetcher, maxImageBytes } from './fetch-image.ts';
import type { Plan, WantedFile } from './import-plan.ts';
import type { ImportTarget } from './import-target.ts';

/** File of the old site that is now among the site's media. */
export interface TakenFile {
  /** Null in a dry run. */
  id: string | null;
  type: string;
  url: string;
}

/** Imported files by their locations on the old site; null for a refused file. */
export type TakenFiles = ReadonlyMap<string, TakenFile | null>;

/** Number of images that are fetched concurrently. */
const atOnce = 4;

/** Limits for copying one file from an archive to the disk: time without progress and total time, in milliseconds. */
const wait = { stalledMs: 30_000, maxMs: 600_000, minBytesPerSecond: 1 } as const;

/**
 * Imports the files that new records show. Images that the export names by URL are fetched only if `fetchImages` is
 * set. A file that cannot be imported is reported, and null in the result. Throws the reason of the import's signal
 * after an abort.
 */
export async function importImages(
  target: ImportTarget,
  tree: FileTree | null,
  { wanted }: Plan,
): Promise<TakenFiles> {
  const taken = new Map<string, TakenFile | null>();
  const failed = new AbortController();
  const signal = AbortSignal.any([target.signal, failed.signal]);
  const take = await createTaking({ ...target, signal });
  const names = new Set(tree?.files.map(({ name }) => name).filter((name) => wanted.has(name)));
  if (tree && names.size > 0)
    for await (const file of tree.read(names)) {
      target.signal.throwIfAborted();
      const { said } = wanted.get(file.name) ?? {};
      taken.set(file.name, await take(file.name, () => file.content(), { said, isImage: false }));
      await target.untilTaken();
    }
  if (!target.fetchImages) return taken;
  await using fetcher = createImageFetcher(target.fetchImages, signal);
  const next = [...wanted].values();
  const work = async () => {
    for (const [index, { address, said }] of next) {
      signal.throwIfAborted();
      if (address === null || names.has(index)) continue;
      taken.set(index, await take(address, () => fetcher.fetch(address), { said, isImage: true }));
      await target.untilTaken();
    }
  };
  // A failure stops all fetches, and none continues after the import has ended.
  await Promise.all(Array.from({ length: atOnce }, () => work().catch((error) => failed.abort(error))));
  signal.throwIfAborted();
  return taken;
}

/** Returns the content of a file. Throws an ApiError with the reason if it is unavailable. */
type Content = () => Promise<Readable> | Readable;

/** Returns a function that stores and reports a file; equal files are stored once. It resolves to null for a refused file. */
async function createTaking(target: ImportTarget) {
  const { deps, siteId, dryRun, signal } = target;
  const plan = target.withinPlan ? await planOf(deps, siteId) : null;
  /** Bytes of the plan's media space that a dry run has not used yet. */
  let left = Number.POSITIVE_INFINITY;
  if (dryRun && plan !== null) left = plans[plan].media.all - (await usedBytes(deps, siteId));
  const planned = new Map<string, TakenFile>();
  const inStore = async (examined: ExaminedFile, name: string, said: WantedFile['said']) => {
    // The import is recorded in the audit log together with its first change.
    await target.change(async () => {});
    const { file, isNew } = await storeFile(deps, examined, { siteId, plan, name });
    // An existing description of the file is kept.
    if (said && !file.alt && !file.caption) await updateMedia({ deps, siteId }, { id: file.id, ...said });
    return { file, isNew };
  };
  const inPlan = async (examined: ExaminedFile, name: string) => {
    const known = await findByHash(deps, siteId, examined.sha256);
    if (known) return { file: known, isNew: false };
    const before = planned.get(examined.sha256);
    if (before) return { file: before, isNew: false };
    if (examined.size > left) throw new ApiError('media_full');
    left -= examined.size;
    const file = { id: null, type: examined.type, url: mediaUrl({ id: 'new', name }) };
    planned.set(examined.sha256, file);
    return { file, isNew: true };
  };
  return async (
    index: string,
    content: Content,
    { said, isImage }: { said: WantedFile['said']; isImage: boolean },
  ): Promise<TakenFile | null> => {
    const name = nameOf(index);
    const about = { collection: 'media', source_id: index.slice(0, 1_000), title: name };
    try {
      const incoming = { name, content: await content(), ended: async () => {} };
      const maxBytes = isImage ? maxImageBytes : plans[plan ?? 'pro'].media.file;
      const { file, isNew } = await receive(incoming, { maxBytes, wait }, async (received) => {
        if (isImage && !received.type.startsWith('image/'))
          throw new ApiError('unsupported_media_type', 'the file is not an image');
        const examined = await examine(deps.threadPool, siteId, received);
        return dryRun ? inPlan(examined, name) : inStore(examined, name, said);
      });
      const outcome = isNew ? 'created' : 'skipped';
      target.report({
        ...about,
        id: file.id,
        outcome,
        reason: isNew ? null : 'Already on this site: the same file',
      });
      return file;
    } catch (error) {
      // An abort of the import is not a fault of the file.
      signal.throwIfAborted();
      const isOfFile =
        error instanceof SourceError ||
        (error instanceof ApiError && (error.status < 500 || error.errorCode === 'media_full'));
      if (!isOfFile) throw error;
      target.report({ ...about, id: null, outcome: 'refused', reason: `Not imported: ${error.message}` });
      return null;
    }
  };
}

/** Last segment of a path or URL, for use as a file name. */
function nameOf(index: string): string {
  const last = path.posix.basename(URL.parse(index)?.pathname ?? index);
  return storableTextOf(decodedPath(last)) || 'file';
}
