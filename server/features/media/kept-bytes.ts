import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { lengthOf, type Piece } from './pieces.ts';

const chunkSize = 32 * 1024;

/** Gives the memory for each chunk. */
type Allocate = (bytes: number) => Buffer;

/** The bytes that are kept of a file, a little at a time. */
export async function* keptBytes(
  file: FileHandle,
  pieces: readonly Piece[],
  allocate: Allocate = (bytes) => Buffer.allocUnsafeSlow(bytes),
): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    else if ('zeros' in piece)
      for (let left = piece.zeros; left > 0; left -= chunkSize) yield Buffer.alloc(Math.min(left, chunkSize));
    else yield* rangeOf(file, piece, allocate);
  }
}

async function* rangeOf(file: FileHandle, { from, to }: { from: number; to: number }, allocate: Allocate) {
  for (let at = from; at < to; ) {
    const chunk = allocate(Math.min(chunkSize, to - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) throw new Error('a file became shorter while it was read');
    yield chunk.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** What the kept bytes are known by, and how many they are. */
export async function describeKept(file: FileHandle, pieces: readonly Piece[]) {
  const hash = createHash('sha256');
  // Each chunk is done with before the next is read, so all of them take the same memory.
  const chunk = Buffer.alloc(chunkSize);
  for await (const bytes of keptBytes(file, pieces, (length) => chunk.subarray(0, length)))
    hash.update(bytes);
  return { sha256: hash.digest('hex'), size: lengthOf(pieces) };
}
