import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type MediaType, mediaTypes } from '../../shared/contract/features/media.ts';
import { openUnnamedFile } from '../../shared/runtime/file-system.ts';
import { type Wait, waitFor, watchTransfer } from '../../shared/runtime/timeouts.ts';
import { ApiError } from '../api/api-error.ts';
import type { IncomingFile } from '../api/incoming-file.ts';

/** Uploaded file that was received completely. */
export interface ReceivedFile {
  handle: FileHandle;
  size: number;
  type: MediaType;
}

/**
 * Receives a file of at most `maxBytes` bytes, and keeps it during `work`. `wait` is in milliseconds and bytes per
 * second. The file has no name on the disk, so nothing remains, even after a crash. Throws as soon as a fault is found:
 * `payload_too_large`, `unsupported_media_type`, `validation_failed` for an empty file, or `invalid_request` for a body
 * that is broken or too slow.
 */
export async function receive<T>(
  incoming: IncomingFile,
  { maxBytes, wait }: { maxBytes: number; wait: Wait },
  work: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  await using handle = await openUnnamedFile('upload');
  const late = Promise.withResolvers<never>();
  const watched = watchTransfer(waitFor(maxBytes, wait), () => {
    incoming.content.destroy(cameTooLate());
    late.reject(cameTooLate());
  });
  const receiveAll = async () => {
    const written = await write(incoming.content, handle, maxBytes, watched.moved);
    await incoming.ended();
    return written;
  };
  try {
    const { size, type } = await Promise.race([receiveAll(), late.promise]);
    watched.end();
    return await work({ handle, size, type });
  } finally {
    watched.end();
    incoming.content.destroy();
  }
}

/** Returns the error `invalid_request` for a form or file that was not received in time. */
export const cameTooLate = () =>
  new ApiError('invalid_request', 'invalid request body: not received in time');

async function write(
  content: Readable,
  handle: FileHandle,
  maxBytes: number,
  onBytes: (count: number) => void,
) {
  const head: Buffer[] = [];
  let size = 0;
  let type: MediaType | undefined;
  for await (const chunk of chunksOf(content)) {
    onBytes(chunk.length);
    const before = size;
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    if (type === undefined) head.push(chunk);
    if (size >= headBytes) type ??= await mediaTypeOf(Buffer.concat(head));
    // A disk that is nearly full may write only a part of a chunk.
    for (let at = 0; at < chunk.length; )
      at += (await handle.write(chunk, at, chunk.length - at, before + at)).bytesWritten;
  }
  if (size === 0) throw new ApiError('validation_failed', 'file: must not be empty');
  return { size, type: type ?? (await mediaTypeOf(Buffer.concat(head))) };
}

/** Yields the chunks of an upload. A broken stream is the sender's fault, unless it failed with an `ApiError`. */
async function* chunksOf(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('invalid_request', 'invalid request body: incomplete', { cause });
  }
}

const tooLarge = (maxBytes: number) =>
  new ApiError(
    'payload_too_large',
    `the file is too large: the site's plan allows files of up to ${maxBytes / 1e6} MB`,
  );

/** Number of bytes from which the type is detected. */
const headBytes = 8 * 1024;

/** Alternative names of accepted types. */
const aliases: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/x-m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'audio/x-flac': 'audio/flac',
  'video/x-m4v': 'video/mp4',
};

/**
 * Detects the type from the first bytes, whatever the sender stated. Throws `unsupported_media_type` for other types.
 */
async function mediaTypeOf(head: Buffer): Promise<MediaType> {
  // Loaded with the first upload.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  const mime = found?.mime.split(';', 1)[0] ?? '';
  const type = aliases[mime] ?? mime;
  if (isTaken(type)) return type;
  throw new ApiError('unsupported_media_type');
}

const isTaken = (type: string): type is MediaType => Object.hasOwn(mediaTypes, type);
