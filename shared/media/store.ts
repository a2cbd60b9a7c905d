import type { Readable } from 'node:stream';

/** Bytes of a file, the last one included. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * A place that keeps bytes: a directory, or a bucket. Throws `MediaAwayError` when it can't be reached, and `MediaFullError`
 * when it has no room.
 */
export interface ObjectStore {
  /**
   * Keeps `content`, which is `bytes` long, under `key`, in place of what was there. Nobody ever sees a part of it. Throws,
   * with nothing changed, when the content fails or has another length. The bytes of a chunk may change as soon as the next is
   * asked for.
   */
  put(key: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void>;
  /** What is kept under `key`, or a part of it; null when there is nothing. The range lies within the file. */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes what is kept under `key`, if there is anything. */
  delete(key: string): Promise<void>;
  /** Removes what writers that died before this moment left half written, and nothing that anybody else put there. */
  removeUnfinished(before: Date): Promise<void>;
}

/** Where the bytes of media are kept. Of one that is not this installation's nothing is believed, and nothing put there. */
export interface MediaStore extends ObjectStore {
  /** Throws `MediaAwayError` unless the store is there, and the installation's. */
  check(): Promise<void>;
}

/** Whose bytes a key names. */
export interface MediaId {
  site_id: string;
  id: string;
}

/** The key of a file as it was uploaded. */
export const originalKey = ({ site_id, id }: MediaId) => `${site_id}/${id}/original`;

/** The key of the copy of an image that is `width` pixels wide. */
export const sizeKey = ({ site_id, id }: MediaId, width: number) => `${site_id}/${id}/${width}.webp`;

/** All that is kept of a file that has copies of these widths. */
export const keysOf = (file: MediaId, widths: readonly number[]) => [
  originalKey(file),
  ...widths.map((width) => sizeKey(file, width)),
];

/** Whether a name is one that files of media have. */
export const isMediaKey = (name: string) =>
  /^[a-zA-Z0-9_-]+\/[a-zA-Z0-9_-]+\/(?:original|\d+\.webp)$/.test(name);

/** The parts of a key. Keys are made from ids; one that would lead elsewhere is a fault of ours. */
export function partsOfKey(key: string): string[] {
  const parts = key.split('/');
  if (!parts.every((part) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(part)))
    throw new Error(`${JSON.stringify(key)} is not a valid media key`);
  return parts;
}

/** Passes on exactly `bytes`; fails as soon as there is more, and at the end when there was less. */
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

/** The media store can't be reached, or is not that of this installation: nothing is known of what it holds. */
export class MediaAwayError extends Error {
  override name = 'MediaAwayError';

  constructor(why: string, options?: ErrorOptions) {
    super(`media store unavailable: ${why}`, options);
  }
}

/** The media store has no room; nothing was kept. */
export class MediaFullError extends Error {
  override name = 'MediaFullError';
}

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Whether something failed for want of room: in the media store, or on a disk of this machine. */
export function isOutOfRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof MediaFullError || ('code' in error && fullCodes.has(error.code))) return true;
  return isOutOfRoom(error.cause);
}

/** Whether something failed since the media store is away. */
export function isMediaAway(error: unknown): boolean {
  return error instanceof Error && (error instanceof MediaAwayError || isMediaAway(error.cause));
}
