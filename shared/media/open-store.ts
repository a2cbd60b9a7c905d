import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../db/config.ts';
import { createDiskStore } from './disk-store.ts';
import { ownStore } from './identity.ts';
import { createS3Store } from './s3-store.ts';
import type { MediaStore, ObjectStore } from './store.ts';

/** Default media directory of a checkout. */
const usualDirectory = join(import.meta.dirname, '..', '..', '.data', 'media');

/** Returns the directory of a `MEDIA_URL` or path; null for a bucket. */
function directoryOf(mediaUrl: string): string | null {
  if (isAbsolute(mediaUrl)) return mediaUrl;
  return mediaUrl.startsWith('file:') ? fileURLToPath(mediaUrl) : null;
}

/**
 * Opens the store of a `MEDIA_URL` or path; by default the checkout's directory. It does not access the store. Throws
 * if the URL of a bucket is invalid.
 */
export function openObjectStore(mediaUrl = usualDirectory): ObjectStore {
  const directory = directoryOf(mediaUrl);
  return directory === null ? createS3Store(mediaUrl) : createDiskStore(directory);
}

/** Returns a directory beside the media directory, or beside the checkout's for a bucket. */
export const besideMedia = (name: string, mediaUrl = usualDirectory): string =>
  join(dirname(directoryOf(mediaUrl) ?? usualDirectory), name);

/**
 * Opens the media store of a database at `MEDIA_URL`. It does not access the store. Throws if the URL of a bucket is
 * invalid.
 */
export const openMediaStore = (mediaUrl: string | undefined, database: Database): MediaStore =>
  ownStore(openObjectStore(mediaUrl), database);
