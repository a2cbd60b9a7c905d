import type { Readable } from 'node:stream';

/** Range of bytes, including the last one. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Store of bytes: a directory or a bucket. Its functions throw `MediaUnavailableError` if it is unavailable, and
 * `MediaFullError` if it is full.
 */
export interface ObjectStore {
  /**
   * Stores `content` of length `bytes` under `key`, and replaces an existing file. No reader ever sees a part of it.
   * Throws, with nothing changed, if the content fails or has another length. The bytes of a chunk may change once the
   * next is requested.
   */
  put(key: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void>;
  /** Returns the file under `key`, or a part of it; null if there is none. The range must lie within the file. */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Deletes the file under `key`, if any. */
  delete(key: string): Promise<void>;
  /** Deletes unfinished files that were last written to before this time, and no other files. */
  removeUnfinished(before: Date): Promise<void>;
}

/** Media store that checks its identity. A store of another installation is neither trusted nor written to. */
export interface MediaStore extends ObjectStore {
  /**
   * Throws `MediaUnavailableError` if the store is unavailable, belongs to another installation, or lost its identity file. A
   * store that never had this file is adopted. If the database has no recorded store yet, it must contain some of the
   * database's files, if there are any.
   */
  check(): Promise<void>;
}

/** Site and ID of a media file. */
export interface MediaId {
  site_id: string;
  id: string;
}

/** Returns the key of the uploaded file. */
export const originalKey = ({ site_id, id }: MediaId) => `${site_id}/${id}/original`;

/** Returns the key of the rendition that is `width` pixels wide. */
export const sizeKey = ({ site_id, id }: MediaId, width: number) => `${site_id}/${id}/${width}.webp`;

/** Returns all keys of a file that has renditions of these widths. */
export const keysOf = (file: MediaId, widths: readonly number[]) => [
  originalKey(file),
  ...widths.map((width) => sizeKey(file, width)),
];

/** Returns true for keys of media files. */
export const isMediaKey = (name: string) =>
  /^[a-zA-Z0-9_-]+\/[a-zA-Z0-9_-]+\/(?:original|\d+\.webp)$/.test(name);

/** Splits a key into its parts. Keys consist of IDs. Throws an `Error` for an invalid one, which is a program error. */
export function partsOfKey(key: string): string[] {
  const parts = key.split('/');
  if (!parts.every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part)))
    throw new Error(`${JSON.stringify(key)} is not a valid media key`);
  return parts;
}

/** Passes on exactly `bytes` bytes. Throws an `Error` as soon as there are more, or at the end if there were fewer. */
export async function* requireLength(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  const wrong = () => new Error(`the content does not have the announced length of ${bytes} bytes`);
  let seen = 0;
  for await (const chunk of content) {
    seen += chunk.length;
    if (seen > bytes) throw wrong();
    yield chunk;
  }
  if (seen < bytes) throw wrong();
}

/**
 * Error for a media store that is unavailable or belongs to another installation. It is unknown whether the file
 * exists.
 */
export class MediaUnavailableError extends Error {
  override name = 'MediaUnavailableError';

  constructor(why: string, options?: ErrorOptions) {
    super(`media store unavailable: ${why}`, options);
  }
}

/** Error for a media store that has no space left. Nothing was stored. */
export class MediaFullError extends Error {
  override name = 'MediaFullError';
}

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Returns true if an error was caused by a full media store or a full disk of this machine. */
export function isOutOfRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof MediaFullError || ('code' in error && fullCodes.has(error.code))) return true;
  return isOutOfRoom(error.cause);
}

/** Returns true if an error was caused by an unavailable media store. */
export function isMediaUnavailable(error: unknown): boolean {
  return (
    error instanceof Error && (error instanceof MediaUnavailableError || isMediaUnavailable(error.cause))
  );
}
