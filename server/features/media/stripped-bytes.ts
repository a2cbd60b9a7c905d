import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { lengthOf, type Piece } from './pieces.ts';

const chunkSize = 32 * 1024;

/** The bytes that are kept of a file, a little at a time: all chunks take the same memory, each in its turn. */
export async function* strippedBytes(file: FileHandle, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
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
    if (bytesRead === 0) throw new Error('a file became shorter while it was read');
    yield memory.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** What the kept bytes are known by, and how many they are. */
export async function describeStripped(file: FileHandle, pieces: readonly Piece[]) {
  const hash = createHash('sha256');
  for await (const bytes of strippedBytes(file, pieces)) hash.update(bytes);
  return { sha256: hash.digest('hex'), size: lengthOf(pieces) };
}
