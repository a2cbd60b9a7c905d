import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDiskStore } from './disk-store.ts';
import type { MediaStore } from './store.ts';

/** Where a checkout keeps media, unless its settings say otherwise. */
const usualDirectory = join(import.meta.dirname, '..', '..', '.data', 'media');

/** The store that a `MEDIA_URL` names; the directory of the checkout without one. */
export function openMediaStore(mediaUrl: string | undefined): MediaStore {
  return createDiskStore(mediaUrl === undefined ? usualDirectory : fileURLToPath(mediaUrl));
}
