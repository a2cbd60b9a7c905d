import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { Entry, ZipFile } from 'yauzl';
import { moving } from '../../../shared/contract/limits.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { chunksOf, type SourceFile } from './source-file.ts';

/** A file among others, wherever they are. */
export interface TreeFile {
  /** Its name, with those of the folders that it is in. */
  name: string;
  size: number;
  mtime: Date;
}

/** One that is read, before the next one is asked for. */
export interface OpenFile extends TreeFile {
  content(): Readable;
}

/** A folder with all that is below it: on the disk, or as one file. */
export interface FileTree {
  /** Its files in their order. */
  files: readonly TreeFile[];
  /** Those of these names. */
  read(names: ReadonlySet<string>): AsyncGenerator<OpenFile>;
}

/** All of a file. */
export const bytesOf = (file: OpenFile): Promise<Buffer> => buffer(file.content());

/** Files that programs keep for themselves. */
export const isForPrograms = (name: string) =>
  name.split('/').some((part) => part.startsWith('.') || ['node_modules', '__MACOSX'].includes(part));

/** A folder on the disk. */
export async function folderTree(root: string): Promise<FileTree> {
  const files = await Array.fromAsync(filesBelow(root, ''));
  return {
    files,
    async *read(names) {
      for (const file of files)
        if (names.has(file.name))
          yield { ...file, content: () => Readable.from(chunksOf(path.join(root, file.name))) };
    },
  };
}

/** Every file in the order of its name. Links are left alone: what they point at may be outside, and nobody's to publish. */
async function* filesBelow(root: string, below: string): AsyncGenerator<TreeFile> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${below}${entry.name}`;
    if (entry.isDirectory() && !isForPrograms(name)) yield* filesBelow(root, `${name}/`);
    // What programs keep is not looked through; that it is there tells what the folder is.
    else if (entry.isDirectory()) yield { name: `${name}/`, size: 0, mtime: new Date(0) };
    else if (entry.isFile()) {
      const { size, mtime } = await stat(path.join(root, name));
      yield { name, size, mtime };
    }
  }
}

const damaged = (cause: unknown) =>
  new ApiError('validation_failed', 'the archive of the folder is damaged', { cause });

/** A folder as one file (tar), which is how a browser sends it. Nothing of it is unpacked. */
export async function tarTree(file: SourceFile): Promise<FileTree> {
  const files: TreeFile[] = [];
  for await (const { name, size, mtime } of tarFiles(file)) files.push({ name, size, mtime });
  return {
    files,
    async *read(names) {
      for await (const entry of tarFiles(file)) if (names.has(entry.name)) yield entry;
    },
  };
}

async function* tarFiles(file: SourceFile): AsyncGenerator<OpenFile> {
  const source = Readable.from(chunksOf(file));
  const tar = extract();
  source.once('error', (error) => tar.destroy(error));
  source.pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mtime = new Date(0) } = entry.header;
      if (type === 'file')
        yield { name: name.replace(/^\.\//, ''), size, mtime, content: () => Readable.from(entry) };
      // What was not read of an entry has to pass before the next one comes.
      entry.resume();
    }
  } catch (cause) {
    throw cause instanceof ApiError ? cause : damaged(cause);
  } finally {
    source.destroy();
    tar.destroy();
  }
}

/** Most files in an archive: its list of them is held. */
const mostFiles = 100_000;

/** How much more than its own size the files of an archive may have: packed text has a tenth, not a hundredth. */
const mostGrowth = { times: 100, bytes: 100_000_000 } as const;

/**
 * An archive (zip), of which the files that are asked for are unpacked. None gives more than the archive's list says, and
 * all together no more than its own size allows, so that very little never becomes very much.
 */
export async function zipTree(file: SourceFile): Promise<FileTree> {
  const files: TreeFile[] = [];
  let bytes = 0;
  const { size } = typeof file === 'string' ? await stat(file) : await file.stat();
  const most = Math.min(moving.unpackedBytes, size * mostGrowth.times + mostGrowth.bytes);
  for await (const { entry } of zipEntries(file)) {
    bytes += entry.uncompressedSize;
    if (bytes > most || files.length >= mostFiles)
      throw new ApiError('validation_failed', 'the archive of the folder has too much in it');
    files.push(fileOf(entry));
  }
  return {
    files,
    async *read(names) {
      for await (const { zip, entry } of zipEntries(file)) {
        if (!names.has(entry.fileName)) continue;
        const content = await zip.openReadStreamPromise(entry).catch((cause: unknown) => {
          throw damaged(cause);
        });
        yield { ...fileOf(entry), content: () => Readable.from(checked(content)) };
        content.destroy();
      }
    },
  };
}

const fileOf = (entry: Entry): TreeFile => ({
  name: entry.fileName,
  size: entry.uncompressedSize,
  mtime: entry.getLastModDate({ timezone: 'UTC' }),
});

async function* checked(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    throw damaged(cause);
  }
}

async function* zipEntries(file: SourceFile): AsyncGenerator<{ zip: ZipFile; entry: Entry }> {
  const { fromFdPromise, openPromise } = await import('yauzl');
  const options = { autoClose: false, lazyEntries: true };
  const opening = typeof file === 'string' ? openPromise(file, options) : fromFdPromise(file.fd, options);
  const zip = await opening.catch((cause: unknown) => {
    throw damaged(cause);
  });
  try {
    for await (const entry of checkedEntries(zip)) if (!entry.fileName.endsWith('/')) yield { zip, entry };
  } finally {
    // A handle is its owner's to close.
    if (typeof file === 'string') zip.close();
  }
}

async function* checkedEntries(zip: ZipFile): AsyncGenerator<Entry> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await entries.next().catch((cause: unknown) => {
      throw damaged(cause);
    });
    if (next.done) return;
    yield next.value;
  }
}
