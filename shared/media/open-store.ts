import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDiskStore } from './disk-store.ts';
import { createS3Store } from './s3-store.ts';
import type { MediaStore } from './store.ts';

/** Where a checkout keeps media, unless its settings say otherwise. */
const usualDirectory = join(import.meta.dirname, '..', '..', '.data', 'media');

/** The store that a `MEDIA_URL` names, or a path; the directory of the checkout without one. */
export function openMediaStore(mediaUrl: string | undefined): MediaStore {
  if (mediaUrl === undefined) return createDiskStore(usualDirectory);
  if (isAbsolute(mediaUrl)) return createDiskStore(mediaUrl);
  return mediaUrl.startsWith('file:') ? createDiskStore(fileURLToPath(mediaUrl)) : createS3Store(mediaUrl);
}
