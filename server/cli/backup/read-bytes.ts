import type { FileHandle } from 'node:fs/promises';

const mostAtOnce = 1024 * 1024;

/** Bytes of an open file in parts, fewer when it ends before. */
export async function* readBytes(file: FileHandle, start: number, bytes: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes; ) {
    const length = Math.min(mostAtOnce, bytes - done);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start + done);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}

/** All of what is known to be small. */
export async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}
