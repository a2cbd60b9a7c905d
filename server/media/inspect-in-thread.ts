import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { MediaType } from '../../shared/contract/features/media.ts';
import { OverLimitError, type ThreadPool } from '../api/thread-pool.ts';
import { damaged, inspectJob, lengthOf, type Piece } from './formats/format.ts';
import type { ReceivedFile } from './receive-upload.ts';

/** File in the form to store. */
export interface ExaminedFile {
  type: MediaType;
  /** Width in pixels as shown; null if it is not an image. */
  width: number | null;
  height: number | null;
  /** Number of bytes to store. */
  size: number;
  sha256: string;
  /** Returns the bytes to store, from the beginning. A chunk is valid until the next is requested. */
  content(): AsyncIterable<Buffer>;
}

/**
 * Inspects a received file. Returns its type, its width and height in pixels, and the bytes to store, without metadata.
 * Width and height are null if it is not an image. Throws `media_damaged`, `image_too_large`, or `busy` if too many files
 * of the site are waiting.
 */
export async function examine(
  threadPool: ThreadPool,
  siteId: string,
  { handle, type, size }: ReceivedFile,
): Promise<ExaminedFile> {
  const inspected = await threadPool
    .run(siteId, inspectJob, { descriptor: handle.fd, type, size })
    .catch((cause: unknown) => {
      throw cause instanceof OverLimitError ? damaged(cause) : cause;
    });
  // Buffers from another thread arrive as `Uint8Array`.
  const pieces = inspected.pieces.map((piece) => (piece instanceof Uint8Array ? Buffer.from(piece) : piece));
  return {
    ...{ type, width: inspected.width, height: inspected.height },
    ...(await describeStripped(handle, pieces)),
    content: () => strippedBytes(handle, pieces),
  };
}

const chunkSize = 32 * 1024;

/** Yields the bytes to store in small chunks. Chunks from the file share one buffer. */
async function* strippedBytes(file: FileHandle, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
  const memory = Buffer.allocUnsafeSlow(chunkSize);
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else if ('zeros' in piece)
      for (let left = piece.zeros; left > 0; left -= chunkSize) yield Buffer.alloc(Math.min(left, chunkSize));
    else yield* rangeOf(file, piece, memory);
  }
}

async function* rangeOf(file: FileHandle, { from, to }: { from: number; to: number }, memory: Buffer) {
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(memory, 0, Math.min(chunkSize, to - at), at);
    if (bytesRead === 0) throw new Error('a media file became shorter while it was read');
    yield memory.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Returns the hash and the number of the bytes to store. */
async function describeStripped(file: FileHandle, pieces: readonly Piece[]) {
  const hash = createHash('sha256');
  for await (const bytes of strippedBytes(file, pieces)) hash.update(bytes);
  return { sha256: hash.digest('hex'), size: lengthOf(pieces) };
}
