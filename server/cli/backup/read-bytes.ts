import type { FileHandle } from 'node:fs/promises';

/** Bytes of an open file in parts, fewer when it ends before. */
export async function* readBytes(file: FileHandle, start: number, bytes: number): AsyncGenerator<Buffer> {
  if (bytes === 0) return;
  yield* file.createReadStream({
    start,
    end: start + bytes - 1,
    highWaterMark: 1024 * 1024,
    autoClose: false,
  });
}

/** All of what is known to be small. */
export async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}
