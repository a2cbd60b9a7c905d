import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file on the disk that has no name: whatever happens, nothing of it is left once its handle is closed. */
export async function openUnnamedFile(purpose: string): Promise<FileHandle> {
  const path = join(tmpdir(), `creator-content-${purpose}-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await rm(path);
  return handle;
}

const chunkBytes = 64 * 1024;

/** What is in a file, from its beginning, as often as it is asked for. The handle stays open. */
export async function* contentOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
