import { type MediaStore, originalKey } from '../../../../shared/media/store.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import { type ArchivedMediaFile, mediaFolder } from './media-files.ts';
import type { PackedFile } from './pack.ts';

/** These files for an archive; their bytes never change, so they are read when their turn comes. */
export const packedMedia = (
  store: MediaStore,
  siteId: string,
  files: readonly ArchivedMediaFile[],
): PackedFile[] =>
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
