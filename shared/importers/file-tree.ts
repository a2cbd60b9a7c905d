import { isUtf8 } from 'node:buffer';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { Entry, ZipFile } from 'yauzl';
import { type ImportMax, importExport } from '../contract/features/import-export.ts';
import { decodeText } from './decode-text.ts';
import { chunksOf, rethrown, SourceError, type SourceFile } from './source-file.ts';

/** File of a folder or an archive. */
interface TreeFile {
  /** Path below the root in Unicode NFC, like names in front matter and settings. macOS writes names in NFD. */
  name: string;
  size: number;
  mtime: Date;
}

/** File that can be read until the next one is requested. */
export interface OpenTreeFile extends TreeFile {
  content(): Readable;
}

/** Folder with all files below it, on disk or packed in one file. */
export interface FileTree {
  files: readonly TreeFile[];
  read(names: ReadonlySet<string>): AsyncGenerator<OpenTreeFile>;
}

export const bytesOf = (file: OpenTreeFile): Promise<Buffer> => buffer(file.content());

/** Returns the text of a file with notes on its encoding; null for a file larger than `importExport.recordBytes`. */
export async function textOf(file: OpenTreeFile): Promise<{ text: string; notes: string[] } | null> {
  if (file.size > importExport.recordBytes) return null;
  const { text, note } = decodeText(await bytesOf(file));
  return { text, notes: note === null ? [] : [note] };
}

/** Returns the paths of all files, except those for which `isForPrograms` is true. */
export const ownNames = ({ files }: FileTree): string[] =>
  files.map(({ name }) => name).filter((name) => !isForPrograms(name));

/** True if a part of the path `name` begins with a dot, or is `node_modules` or `__MACOSX`. */
export const isForPrograms = (name: string) =>
  name.split('/').some((part) => part.startsWith('.') || ['node_modules', '__MACOSX'].includes(part));

/** Settings of Obsidian Publish, the only file that is read from folders of tools. */
export const publishFile = /(?:^|\/)\.obsidian\/publish\.json$/;

/** Opens a folder on disk. Symbolic links in it are ignored. Rejects if a folder below it cannot be read. */
export async function folderTree(root: string): Promise<FileTree> {
  const files = await Array.fromAsync(filesBelow(root, ''));
  return {
    files,
    async *read(names) {
      for (const file of files)
        if (names.has(file.name))
          yield { ...file, content: () => Readable.from(chunksOf(path.join(root, file.path))) };
    },
  };
}

/** File on disk. `path` is its path below the root as the file system stores it. */
type DiskFile = TreeFile & { path: string };

/** Yields files sorted by name. Symbolic links are ignored, because their targets may be private files outside the folder. */
async function* filesBelow(root: string, below: string): AsyncGenerator<DiskFile> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  const named = entries.map((entry) => ({ entry, name: entry.name.normalize('NFC') }));
  for (const { entry } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = `${below}${entry.name}`;
    if (entry.isDirectory() && !isForPrograms(at)) yield* filesBelow(root, `${at}/`);
    // Folders of tools are not read. Their names are listed, because they identify the generator.
    else if (entry.isDirectory()) {
      yield { name: `${at}/`.normalize('NFC'), path: at, size: 0, mtime: new Date(0) };
      if (publishFile.test(`${at}/publish.json`)) yield* fileAt(root, `${at}/publish.json`);
    } else if (entry.isFile()) yield* fileAt(root, at);
  }
}

async function* fileAt(root: string, at: string): AsyncGenerator<DiskFile> {
  const found = await lstat(path.join(root, at)).catch(() => null);
  if (found?.isFile()) yield { name: at.normalize('NFC'), path: at, size: found.size, mtime: found.mtime };
}

const damaged = (cause: unknown) => new SourceError('the archive of the folder is damaged', { cause });

const tooMuch = () => new SourceError('the archive of the folder has too many or too large files');

/** Collects the files of an archive. Throws `SourceError` if they exceed a limit of `max`. */
function createList(max: ImportMax) {
  const files: TreeFile[] = [];
  let characters = 0;
  const list = (file: TreeFile) => {
    characters += file.name.length;
    if (files.length >= max.remembered || characters > max.characters) throw tooMuch();
    files.push(file);
  };
  return { files, list };
}

/**
 * Opens a folder packed as a tar file, as browsers send it. It is not unpacked to disk. Throws `SourceError` if it is
 * damaged or has too many files.
 */
export async function tarTree(file: SourceFile, max: ImportMax): Promise<FileTree> {
  const { files, list } = createList(max);
  for await (const { name, size, mtime } of tarFiles(file)) list({ name, size, mtime });
  return {
    files,
    async *read(names) {
      for await (const entry of tarFiles(file)) if (names.has(entry.name)) yield entry;
    },
  };
}

async function* tarFiles(file: SourceFile): AsyncGenerator<OpenTreeFile> {
  const source = Readable.from(chunksOf(file));
  const tar = extract();
  source.once('error', (error) => tar.destroy(error));
  source.pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, type, size = 0, mtime = new Date(0) } = entry.header;
      if (type === 'file')
        yield {
          name: name.replace(/^\.\//, '').normalize('NFC'),
          size,
          mtime,
          content: () => Readable.from(entry),
        };
      // Skips unread content of an entry, so that the next one can be read.
      entry.resume();
    }
  } catch (cause) {
    throw cause instanceof SourceError ? cause : damaged(cause);
  } finally {
    source.destroy();
    tar.destroy();
  }
}

/**
 * Maximum ratio of unpacked to packed size, plus a constant number of bytes. Text usually shrinks tenfold, not a hundredfold.
 */
const maxGrowth = { times: 100, bytes: 100_000_000 } as const;

/**
 * Opens a zip archive. Only requested files are unpacked, and their total size is limited by the size of the archive.
 * Throws `SourceError` if it is damaged, or has too many or too large files.
 */
export async function zipTree(file: SourceFile, max: ImportMax): Promise<FileTree> {
  const { files, list } = createList(max);
  let bytes = 0;
  const { size } = typeof file === 'string' ? await stat(file) : await file.stat();
  const maxBytes = Math.min(importExport.unpackedBytes, size * maxGrowth.times + maxGrowth.bytes);
  for await (const { entry } of zipEntries(file)) {
    bytes += entry.uncompressedSize;
    if (bytes > maxBytes) throw tooMuch();
    list(fileOf(entry));
  }
  return {
    files,
    async *read(names) {
      for await (const { zip, entry } of zipEntries(file)) {
        if (!names.has(nameOf(entry))) continue;
        const content = await zip.openReadStreamPromise(entry).catch((cause: unknown) => {
          throw damaged(cause);
        });
        yield { ...fileOf(entry), content: () => Readable.from(rethrown(content, damaged)) };
        content.destroy();
      }
    },
  };
}

/** ID of the extra field with an entry's name in Unicode. */
const unicodePath = 0x7075;

/** Flag that marks an entry's name as UTF-8. */
const utf8Flag = 0x800;

/** Name of an entry. The Finder of macOS writes UTF-8 names without the flag, and readers mistake them for CP437. */
function nameOf({ fileName, fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const isUnflagged =
    (generalPurposeBitFlag & utf8Flag) === 0 && !extraFields.some(({ id }) => id === unicodePath);
  return (isUnflagged && isUtf8(fileNameRaw) ? fileNameRaw.toString() : fileName).normalize('NFC');
}

const fileOf = (entry: Entry): TreeFile => ({
  name: nameOf(entry),
  size: entry.uncompressedSize,
  mtime: entry.getLastModDate({ timezone: 'UTC' }),
});

async function* zipEntries(file: SourceFile): AsyncGenerator<{ zip: ZipFile; entry: Entry }> {
  const { fromFdPromise, openPromise } = await import('yauzl');
  const options = { autoClose: false, lazyEntries: true };
  const opening = typeof file === 'string' ? openPromise(file, options) : fromFdPromise(file.fd, options);
  const zip = await opening.catch((cause: unknown) => {
    throw damaged(cause);
  });
  try {
    for await (const entry of rethrown(zip.eachEntry(), damaged))
      if (!entry.fileName.endsWith('/')) yield { zip, entry };
  } finally {
    // An open handle is closed by its owner.
    if (typeof file === 'string') zip.close();
  }
}
