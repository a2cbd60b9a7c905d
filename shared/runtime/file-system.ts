import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether an error of the file system says that there is no such file or directory. */
export const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** For `catch`: nothing for what is not there. Rethrows all else. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Makes the names in a directory last through a loss of power. */
export async function flushDirectory(path: string) {
  await using directory = await open(path);
  await directory.sync();
}

/** A file on the disk that has no name: whatever happens, nothing of it is left once its handle is closed. */
export async function openUnnamedFile(purpose: string): Promise<FileHandle> {
  const path = join(tmpdir(), `creator-content-${purpose}-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await rm(path);
  return handle;
}

/** As much of an open file as reading it needs. */
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

/** What is in a file, or in a part of it, as often as it is asked for; fewer bytes when it ends before. The handle stays open. */
export async function* contentOf(handle: OpenedFile, start = 0, bytes = Infinity): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes; ) {
    const length = Math.min(chunkBytes, bytes - done);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, start + done);
    if (bytesRead === 0) return;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
