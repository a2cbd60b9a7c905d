import { readSync } from 'node:fs';
import { damaged } from './damaged.ts';

/** Reads an open file piece by piece, so that its size doesn't matter to memory. */
export interface FileReader {
  size: number;
  /** `length` bytes from `at` on, good until the next read. Throws `media_damaged` where the file ends before. */
  bytes(at: number, length: number): Promise<Buffer>;
  /** As many bytes from `at` on as are at hand: two at least, unless the file ends before. Throws `media_damaged` at its end. */
  some(at: number): Promise<Buffer>;
  /** Counts a part of the file that is looked at by itself. Throws `media_damaged` for the one too many. */
  countPart(): void;
}

const blockSize = 64 * 1024;

/** More boxes, chunks or segments would be a file that is made to take long. */
const mostParts = 50_000;

/** It waits for the disk, as a thread of its own may: what is read at once is small. */
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
      if (parts > mostParts) throw damaged();
    },
  };
}
