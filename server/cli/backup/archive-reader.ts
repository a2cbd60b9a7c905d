import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { blockBytes, paddedBytes, readTarHeader } from '../../../shared/archive/tar.ts';
import { contentOf } from '../../../shared/runtime/file-system.ts';
import { archiveSeal, sealBytes, sumsPath } from './archive-writer.ts';

export class DamagedArchiveError extends Error {
  override name = 'DamagedArchiveError';
}

export interface Entry {
  path: string;
  bytes: number;
  /** SHA-256 of the content when it was written. */
  sha256: string;
  /** Reads the content and checks it again. Throws `DamagedArchiveError` at its end if it changed. */
  content(): AsyncIterable<Buffer>;
}

export interface Archive extends AsyncDisposable {
  /** Entries in the order in which they were written. */
  entries: readonly Entry[];
  bytes: number;
}

/**
 * Opens an archive after checking every byte. Throws `DamagedArchiveError` if it is incomplete, damaged or no
 * archive.
 */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    await checkAll(file, path, size);
    const entries = await readEntries(file, size - sealBytes);
    return { entries, bytes: size, [Symbol.asyncDispose]: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** True if a file has the end of an archive. Only reading all of it proves that it is intact. */
export async function isArchive(path: string): Promise<boolean> {
  await using file = await open(path);
  const { size } = await file.stat();
  if (size < sealBytes) return false;
  const end = await buffer(contentOf(file, size - sealBytes, sealBytes));
  const sha256 = end.toString('latin1', blockBytes, blockBytes + 64);
  return end.equals(archiveSeal(sha256));
}

async function checkAll(file: FileHandle, path: string, size: number) {
  const damaged = new DamagedArchiveError(
    `${path} is not a backup, or it is damaged or incomplete: the checksum does not match. Nothing was changed.`,
  );
  if (size < sealBytes + 2 * blockBytes) throw damaged;
  const whole = createHash('sha256');
  for await (const part of contentOf(file, 0, size - sealBytes)) whole.update(part);
  const seal = await buffer(contentOf(file, size - sealBytes, sealBytes));
  if (!seal.equals(archiveSeal(whole.digest('hex')))) throw damaged;
}

async function readEntries(file: FileHandle, end: number): Promise<Entry[]> {
  const found: { path: string; bytes: number; start: number }[] = [];
  for (let position = 0; position < end; ) {
    const header = readTarHeader(await buffer(contentOf(file, position, blockBytes)));
    if (!header) throw new DamagedArchiveError(`the backup is damaged: no entry header at byte ${position}`);
    found.push({ ...header, start: position + blockBytes });
    position += blockBytes + paddedBytes(header.bytes);
  }
  const last = found.pop();
  if (last?.path !== sumsPath)
    throw new DamagedArchiveError(`the backup is damaged: its last entry is not ${sumsPath}`);
  const sums = (await text(contentOf(file, last.start, last.bytes))).split('\n');
  return found.map(({ path, bytes, start }, index) => {
    const [sha256, named] = sums[index]?.split('  ') ?? [];
    if (!sha256 || named !== path)
      throw new DamagedArchiveError(`the backup is damaged: ${sumsPath} has no checksum for ${path}`);
    return { path, bytes, sha256, content: () => checked(contentOf(file, start, bytes), { path, sha256 }) };
  });
}

/** Checks the content again, because the file may have changed since it was opened. */
async function* checked(content: AsyncIterable<Buffer>, { path, sha256 }: Pick<Entry, 'path' | 'sha256'>) {
  const sum = createHash('sha256');
  for await (const part of content) {
    sum.update(part);
    yield part;
  }
  if (sum.digest('hex') !== sha256)
    throw new DamagedArchiveError(
      `the backup changed while it was read: the checksum of ${path} does not match`,
    );
}
