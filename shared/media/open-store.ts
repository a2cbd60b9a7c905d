import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../db/config.ts';
import { createDiskStore } from './disk-store.ts';
import { ownStore } from './identity.ts';
import { createS3Store } from './s3-store.ts';
import type { MediaStore, ObjectStore } from './store.ts';

/** Where a checkout keeps media, unless its settings say otherwise. */
const usualDirectory = join(import.meta.dirname, '..', '..', '.data', 'media');

/** The place that a `MEDIA_URL` names, or a path; the directory of the checkout without one. */
export function openObjectStore(mediaUrl: string | undefined): ObjectStore {
  if (mediaUrl === undefined) return createDiskStore(usualDirectory);
  if (isAbsolute(mediaUrl)) return createDiskStore(mediaUrl);
  return mediaUrl.startsWith('file:') ? createDiskStore(fileURLToPath(mediaUrl)) : createS3Store(mediaUrl);
}

/** The media store of a database, at the place that `MEDIA_URL` names. */
export const openMediaStore = (mediaUrl: string | undefined, database: Database): MediaStore =>
  ownStore(openObjectStore(mediaUrl), database);
