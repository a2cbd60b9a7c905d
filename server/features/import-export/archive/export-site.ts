import type { Writable } from 'node:stream';
import { openUnnamedFile } from '../../../../shared/file-system.ts';
import { type MediaStore, originalKey } from '../../../../shared/media/store.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { ImportDeps } from '../target.ts';
import { readMailKey } from './mail-key.ts';
import { type ArchivedMediaFile, mediaFolder } from './media-files.ts';
import { fromDisk, type PackedFile, writeArchive } from './pack.ts';
import { type OnProgress, takeSnapshot } from './snapshot.ts';

export interface ExportOptions {
  to: Writable;
  onProgress?: OnProgress;
}

/** Writes the archive of a site as it is now. Throws `not_found`, or that media are away, before anything is written. */
export async function exportSite(
  deps: Pick<ImportDeps, 'database' | 'media' | 'secrets'>,
  siteId: string,
  { to, onProgress = () => {} }: ExportOptions,
): Promise<void> {
  await using staged = new AsyncDisposableStack();
  const open = async () => staged.use(await openUnnamedFile('export'));
  const { settings, files, media } = await takeSnapshot(deps, siteId, { open, onProgress });
  // The one that the site's first suppression was made under: it is never another.
  const mail_key = await readMailKey(deps, siteId);
  if (media.length > 0) await deps.media.check();
  await writeArchive(
    {
      settings: { ...settings, mail_key },
      files: [...packedMedia(deps.media, siteId, media), ...files.map(fromDisk)],
    },
    to,
  );
}

/** These files for an archive; their bytes never change, so they are read when their turn comes. */
const packedMedia = (store: MediaStore, siteId: string, files: readonly ArchivedMediaFile[]): PackedFile[] =>
  files.map(({ id, size, sha256 }) => ({
    name: `${mediaFolder}${id}`,
    records: null,
    bytes: size,
    sha256,
    async open() {
      const content = await store.get(originalKey({ site_id: siteId, id }));
      if (content) return content;
      throw new ApiError('not_found', `the bytes of media ${id} are gone: delete it, or export again`);
    },
  }));
