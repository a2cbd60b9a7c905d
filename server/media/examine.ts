import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { MediaType } from '../../shared/contract/features/media.ts';
import { type Offload, OverLimitError } from '../api/offload.ts';
import { damaged, inspectJob, lengthOf, type Piece } from './formats/format.ts';
import type { ReceivedFile } from './receive.ts';

/** A file as it will be kept. */
export interface ExaminedFile {
  type: MediaType;
  /** Pixels as shown; null for what is no image. */
  width: number | null;
  height: number | null;
  /** Of the bytes that are kept. */
  size: number;
  sha256: string;
  /** The bytes that are kept, from the beginning; each chunk is good until the next is asked for. */
  content(): AsyncIterable<Buffer>;
}

/** What is to be kept of a file of a site that has come. Throws what is wrong with it. */
export async function examine(
  offload: Offload,
  siteId: string,
  { handle, type, size }: ReceivedFile,
): Promise<ExaminedFile> {
  const inspected = await offload
    .run(siteId, inspectJob, { descriptor: handle.fd, type, size })
    .catch((cause: unknown) => {
      throw cause instanceof OverLimitError ? damaged(cause) : cause;
    });
  // Bytes that another thread gives have lost their kind.
  const pieces = inspected.pieces.map((piece) => (piece instanceof Uint8Array ? Buffer.from(piece) : piece));
  return {
    ...{ type, width: inspected.width, height: inspected.height },
    ...(await describeStripped(handle, pieces)),
    content: () => strippedBytes(handle, pieces),
  };
}

const chunkSize = 32 * 1024;

/** The bytes that are kept of a file, a little at a time: all chunks take the same memory, each in its turn. */
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

/** What the kept bytes are known by, and how many they are. */
async function describeStripped(file: FileHandle, pieces: readonly Piece[]) {
  const hash = createHash('sha256');
  for await (const bytes of strippedBytes(file, pieces)) hash.update(bytes);
  return { sha256: hash.digest('hex'), size: lengthOf(pieces) };
}
