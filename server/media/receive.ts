import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type MediaType, mediaTypes } from '../../shared/contract/features/media.ts';
import { openUnnamedFile } from '../../shared/runtime/file-system.ts';
import { type Wait, waitFor, watchTransfer } from '../../shared/runtime/timeouts.ts';
import { ApiError } from '../api/api-error.ts';
import type { IncomingFile } from '../api/incoming-file.ts';

/** A file that has come whole. */
export interface ReceivedFile {
  handle: FileHandle;
  size: number;
  type: MediaType;
}

/**
 * Receives a file of at most `mostBytes`, for as long as `work` takes. It is on the disk without a name, so nothing of it
 * is left whatever happens. Throws what is wrong with it as soon as that is known.
 */
export async function receive<T>(
  incoming: IncomingFile,
  { mostBytes, wait }: { mostBytes: number; wait: Wait },
  work: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  await using handle = await openUnnamedFile('upload');
  const late = Promise.withResolvers<never>();
  const watched = watchTransfer(waitFor(mostBytes, wait), () => {
    incoming.content.destroy(cameTooLate());
    late.reject(cameTooLate());
  });
  const receiveAll = async () => {
    const written = await write(incoming.content, handle, mostBytes, watched.moved);
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

/** What somebody is told whose form, or the file in it, takes too long. */
export const cameTooLate = () =>
  new ApiError('invalid_request', 'invalid request body: not received in time');

async function write(
  content: Readable,
  handle: FileHandle,
  mostBytes: number,
  onBytes: (count: number) => void,
) {
  const head: Buffer[] = [];
  let size = 0;
  let type: MediaType | undefined;
  for await (const chunk of chunksOf(content)) {
    onBytes(chunk.length);
    const before = size;
    size += chunk.length;
    if (size > mostBytes) throw tooLarge(mostBytes);
    if (type === undefined) head.push(chunk);
    if (size >= headBytes) type ??= await mediaTypeOf(Buffer.concat(head));
    // A disk that is nearly full takes a part, and refuses the rest.
    for (let at = 0; at < chunk.length; )
      at += (await handle.write(chunk, at, chunk.length - at, before + at)).bytesWritten;
  }
  if (size === 0) throw new ApiError('validation_failed', 'file: must not be empty');
  return { size, type: type ?? (await mediaTypeOf(Buffer.concat(head))) };
}

/** What breaks off was the sender's doing, unless somebody said otherwise. */
async function* chunksOf(content: Readable): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('invalid_request', 'invalid request body: incomplete', { cause });
  }
}

const tooLarge = (mostBytes: number) =>
  new ApiError(
    'payload_too_large',
    `the file is too large: the site's plan allows files of up to ${mostBytes / 1e6} MB`,
  );

/** How much of the beginning of a file tells its type. */
const headBytes = 8 * 1024;

/** Other names of types that are taken. */
const aliases: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/x-m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/opus': 'audio/ogg',
  'audio/x-flac': 'audio/flac',
  'video/x-m4v': 'video/mp4',
};

/** What a file is by its first bytes, whatever was said of it. Throws `unsupported_media_type` for what is not taken. */
async function mediaTypeOf(head: Buffer): Promise<MediaType> {
  // Loaded with the first file that comes.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  const mime = found?.mime.split(';', 1)[0] ?? '';
  const type = aliases[mime] ?? mime;
  if (isTaken(type)) return type;
  throw new ApiError('unsupported_media_type');
}

const isTaken = (type: string): type is MediaType => Object.hasOwn(mediaTypes, type);
