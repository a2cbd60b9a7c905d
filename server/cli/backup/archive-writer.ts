import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { padding, tarEnd, tarHeader } from '../../../shared/archive/tar.ts';
import { contentOf, nullIfMissing } from '../../../shared/runtime/file-system.ts';
import { writeWhole } from '../write-whole-file.ts';

/** Entry with the SHA-256 of each entry before it, in the format of `sha256sum -c`. */
export const sumsPath = 'SHA256SUMS';

/**
 * Creates the end of an archive: an entry with the SHA-256 of all bytes before it, and tar's end marker. Readers
 * compare all of it, so every byte is checked.
 */
export function archiveSeal(sha256: string): Buffer {
  const text = Buffer.from(`${sha256}\n`);
  return Buffer.concat([tarHeader('SHA256', text.length), text, padding(text.length), tarEnd]);
}

export const sealBytes = archiveSeal('0'.repeat(64)).length;

export interface ArchiveWriter {
  add(path: string, content: Buffer): Promise<void>;
  /** Adds the current content of a file, and returns its hash. The file's length must not change during the call. */
  addFile(path: string, from: FileHandle): Promise<{ sha256: string }>;
  bytes(): number;
}

/**
 * Writes an archive with the entries that `fill` adds. `fill` returns the final name, which `writeArchive` returns
 * too. Throws an `Error` if a file of either name exists.
 */
export async function writeArchive(
  path: string,
  fill: (archive: ArchiveWriter) => Promise<string>,
): Promise<string> {
  await refuseExisting(path);
  return writeWhole(path, async (file) => {
    const name = await writeAll(file, fill);
    await refuseExisting(name);
    return name;
  });
}

async function writeAll(file: FileHandle, fill: (archive: ArchiveWriter) => Promise<string>) {
  const whole = createHash('sha256');
  const sums: string[] = [];
  let bytes = 0;
  const write = async (part: Uint8Array) => {
    whole.update(part);
    await file.appendFile(part);
    bytes += part.length;
  };
  const add = async (path: string, content: Buffer) => {
    await write(Buffer.concat([tarHeader(path, content.length), content, padding(content.length)]));
    sums.push(`${createHash('sha256').update(content).digest('hex')}  ${path}\n`);
  };
  const addFile = async (path: string, from: FileHandle) => {
    const { size } = await from.stat();
    const sum = createHash('sha256');
    await write(tarHeader(path, size));
    let left = size;
    for await (const part of contentOf(from, 0, size)) {
      sum.update(part);
      await write(part);
      left -= part.length;
    }
    if (left > 0) throw new Error(`${path} became shorter while it was read`);
    await write(padding(size));
    const sha256 = sum.digest('hex');
    sums.push(`${sha256}  ${path}\n`);
    return { sha256 };
  };
  const name = await fill({ add, addFile, bytes: () => bytes });
  await add(sumsPath, Buffer.from(sums.join('')));
  await file.appendFile(archiveSeal(whole.digest('hex')));
  return name;
}

async function refuseExisting(path: string) {
  const existing = await open(path).catch(nullIfMissing);
  await existing?.close();
  if (existing) throw new Error(`${path} already exists: choose another name.`);
}
