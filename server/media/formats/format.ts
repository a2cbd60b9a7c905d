import { readSync } from 'node:fs';
import type { MediaType } from '../../../shared/contract/features/media.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Job } from '../../api/thread-pool.ts';

/** Returns the error `media_damaged` for a file whose structure does not match its detected type. */
export const damaged = (cause?: unknown) => new ApiError('media_damaged', undefined, { cause });

export interface FileToInspect {
  descriptor: number;
  type: MediaType;
  size: number;
}

export interface InspectedFile {
  /** Width in pixels as shown; null if it is not an image. */
  width: number | null;
  height: number | null;
  /** Pieces of the file without metadata, such as location, camera and author. */
  pieces: readonly Piece[];
}

export const inspectJob: Job<FileToInspect, InspectedFile> = {
  name: 'inspect',
  queue: 'files',
  cpuMs: 2_000,
};

/** Inspects a file of one format to its end. Throws `media_damaged` for an incomplete one. */
export type Inspect = (file: FileReader) => Promise<InspectedFile>;

/** Reader of an open file in pieces, so that memory does not depend on its size. */
export interface FileReader {
  size: number;
  /** Returns `length` bytes from `at`, valid until the next read. Throws `media_damaged` if the file ends earlier. */
  bytes(at: number, length: number): Promise<Buffer>;
  /**
   * Returns buffered bytes from `at`: at least two, unless the file ends earlier. Throws `media_damaged` if `at` is
   * the end of the file.
   */
  some(at: number): Promise<Buffer>;
  /** Counts a box, chunk or segment of the file. Throws `media_damaged` if there are more than `maxParts`. */
  countPart(): void;
}

const blockSize = 64 * 1024;

/** Maximum number of boxes, chunks or segments. More indicate a file that is built to take long. */
const maxParts = 50_000;

/**
 * Creates a reader with synchronous reads, which are small and run in a separate thread. Its functions throw
 * `media_damaged` for a file that is shorter than it states, or has too many parts.
 */
export function createFileReader(descriptor: number, size: number): FileReader {
  let block: Buffer = Buffer.alloc(0);
  let start = 0;
  let parts = 0;

  const load = (at: number, length: number) => {
    const wanted = Math.min(Math.max(length, blockSize), size - at);
    const target = Buffer.alloc(wanted);
    let filled = 0;
    while (filled < wanted) {
      const bytesRead = readSync(descriptor, target, filled, wanted - filled, at + filled);
      if (bytesRead === 0) throw damaged();
      filled += bytesRead;
    }
    block = target;
    start = at;
  };

  const ensure = (at: number, length: number) => {
    if (at < start || at + length > start + block.length) load(at, length);
  };

  return {
    size,
    async bytes(at, length) {
      if (at < 0 || length < 0 || at + length > size) throw damaged();
      ensure(at, length);
      return block.subarray(at - start, at - start + length);
    },
    async some(at) {
      if (at >= size) throw damaged();
      ensure(at, Math.min(2, size - at));
      return block.subarray(at - start);
    },
    countPart() {
      parts += 1;
      if (parts > maxParts) throw damaged();
    },
  };
}

/** A piece of a stripped file: a range of the original, or bytes or zeros that replace a removed part. */
export type Piece = { from: number; to: number } | Buffer | { zeros: number };

/** Maximum number of pieces. More indicate a file that is built to exhaust memory. */
const maxPieces = 20_000;

/**
 * Collects the pieces of a file to store, and merges adjacent ones. `keep` and `put` throw `media_damaged` above
 * `maxPieces`.
 */
export function createPieceList() {
  const pieces: Piece[] = [];
  const put = (piece: Piece) => {
    if (pieces.length >= maxPieces) throw damaged();
    pieces.push(piece);
  };
  return {
    pieces,
    put,
    keep(from: number, to: number) {
      const last = pieces.at(-1);
      if (to <= from) return;
      if (last && 'to' in last && last.to === from) last.to = to;
      else put({ from, to });
    },
  };
}

export const lengthOf = (pieces: readonly Piece[]) => pieces.reduce((sum, piece) => sum + bytesOf(piece), 0);

function bytesOf(piece: Piece): number {
  if (Buffer.isBuffer(piece)) return piece.length;
  return 'zeros' in piece ? piece.zeros : piece.to - piece.from;
}
