import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../db/config.ts';
import { createDiskStore } from './disk-store.ts';
import { ownStore } from './identity.ts';
import { createS3Store } from './s3-store.ts';
import type { MediaStore, ObjectStore } from './store.ts';

/** Where a checkout keeps media, unless its settings say otherwise. */
const usualDirectory = join(import.meta.dirname, '..', '..', '.data', 'media');

/** The directory that a `MEDIA_URL` names, or a path; null for a bucket. */
function directoryOf(mediaUrl: string): string | null {
  if (isAbsolute(mediaUrl)) return mediaUrl;
  return mediaUrl.startsWith('file:') ? fileURLToPath(mediaUrl) : null;
}

/** The place that a `MEDIA_URL` names, or a path; the directory of the checkout without one. */
export function openObjectStore(mediaUrl = usualDirectory): ObjectStore {
  const directory = directoryOf(mediaUrl);
  return directory === null ? createS3Store(mediaUrl) : createDiskStore(directory);
}

/** A directory beside that of the media, or where that of a checkout would be. */
export const besideMedia = (name: string, mediaUrl = usualDirectory): string =>
  join(dirname(directoryOf(mediaUrl) ?? usualDirectory), name);

/** The media store of a database, at the place that `MEDIA_URL` names. */
export const openMediaStore = (mediaUrl: string | undefined, database: Database): MediaStore =>
  ownStore(openObjectStore(mediaUrl), database);
