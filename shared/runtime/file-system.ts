import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** True for the error of a file or directory that does not exist. */
export const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Handler for `catch`: returns null if the file does not exist, and rethrows other errors. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Writes the names in a directory to disk, so that they survive a loss of power. */
export async function flushDirectory(path: string) {
  await using directory = await open(path);
  await directory.sync();
}

/**
 * Opens a new file on disk without a name. Its space is freed when the handle closes, even if the process is killed.
 */
export async function openUnnamedFile(purpose: string): Promise<FileHandle> {
  const path = join(tmpdir(), `creator-content-${purpose}-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await rm(path);
  return handle;
}

/** Part of a file handle that reading needs. */
export interface OpenedFile {
  fd: number;
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number; buffer: Buffer }>;
}

const chunkBytes = 64 * 1024;

/**
 * Reads the bytes of an open file or of a part of it, in chunks. Ends earlier if the file does. The handle stays open,
 * so that the content can be read again.
 */
export async function* contentOf(handle: OpenedFile, start = 0, bytes = Infinity): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes; ) {
    const length = Math.min(chunkBytes, bytes - done);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start + done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
