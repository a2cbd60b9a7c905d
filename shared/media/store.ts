import type { Readable } from 'node:stream';

/** Bytes of a file, the last one included. */
export interface ByteRange {
  first: number;
  last: number;
}

/** A file of the store, as pruning sees it. */
export interface StoredFile {
  key: string;
  modified: Date;
}

/** Where the bytes of media are kept: a directory, or a bucket. */
export interface MediaStore {
  /**
   * Keeps `content`, which is `bytes` long, under `key`, in place of what was there. Nobody ever sees a part of it. Throws,
   * with nothing changed, when the content fails or has another length.
   */
  put(key: string, content: Readable, bytes: number): Promise<void>;
  /** What is kept under `key`, or a part of it; null when there is nothing. The range lies within the file. */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes what is kept under `key`, if there is anything. */
  delete(key: string): Promise<void>;
  /** Every file, in no order. */
  list(): AsyncIterable<StoredFile>;
}

/** Whose bytes a key names. */
interface MediaId {
  site_id: string;
  id: string;
}

/** The key of a file as it was uploaded. */
export const originalKey = ({ site_id, id }: MediaId) => `${site_id}/${id}/original`;

/** The key of the copy of an image that is `width` pixels wide. */
export const sizeKey = ({ site_id, id }: MediaId, width: number) => `${site_id}/${id}/${width}.webp`;

/** Whose bytes are under `key`; null for a key that nothing here has made. */
export function mediaOfKey(key: string): MediaId | null {
  const [, site_id, id] = /^([^/]+)\/([^/]+)\/(?:original|\d+\.webp)$/.exec(key) ?? [];
  return site_id !== undefined && id !== undefined ? { site_id, id } : null;
}
