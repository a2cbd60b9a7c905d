import { isUtf8 } from 'node:buffer';
import { lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import type { Entry, ZipFile } from 'yauzl';
import { importExport } from '../contract/features/import-export.ts';
import { decodeText } from './decode-text.ts';
import { chunksOf, rethrown, SourceError, type SourceFile } from './source-file.ts';

/** A file among others, wherever they are. */
interface TreeFile {
  /** Path below the root in Unicode NFC, as names in front matter and settings are; macOS writes names in NFD. */
  name: string;
  size: number;
  mtime: Date;
}

/** One that is read, before the next one is asked for. */
export interface OpenTreeFile extends TreeFile {
  content(): Readable;
}

/** A folder with all that is below it: on the disk, or as one file. */
export interface FileTree {
  files: readonly TreeFile[];
  read(names: ReadonlySet<string>): AsyncGenerator<OpenTreeFile>;
}

export const bytesOf = (file: OpenTreeFile): Promise<Buffer> => buffer(file.content());

/** The text of a file, with what there is to say of its encoding; null for one that is longer than a record may be. */
export async function textOf(file: OpenTreeFile): Promise<{ text: string; notes: string[] } | null> {
  if (file.size > importExport.recordBytes) return null;
  const { text, note } = decodeText(await bytesOf(file));
  return { text, notes: note === null ? [] : [note] };
}

/** The names of files but for those that programs keep. */
export const ownNames = ({ files }: FileTree): string[] =>
  files.map(({ name }) => name).filter((name) => !isForPrograms(name));

/** Files that programs keep for themselves. */
export const isForPrograms = (name: string) =>
  name.split('/').some((part) => part.startsWith('.') || ['node_modules', '__MACOSX'].includes(part));

/** What is published of a vault of Obsidian: all that is read of what programs keep. */
export const publishFile = /(?:^|\/)\.obsidian\/publish\.json$/;

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

/** A file on the disk, with its path below the root as the file system has it. */
type DiskFile = TreeFile & { path: string };

/** Every file in the order of its name. Links are left alone: what they point at may be outside, and nobody's to publish. */
async function* filesBelow(root: string, below: string): AsyncGenerator<DiskFile> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  const named = entries.map((entry) => ({ entry, name: entry.name.normalize('NFC') }));
  for (const { entry } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = `${below}${entry.name}`;
    if (entry.isDirectory() && !isForPrograms(at)) yield* filesBelow(root, `${at}/`);
    // What programs keep is not looked through; that it is there tells what the folder is.
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

const tooMuch = () => new SourceError('the archive of the folder has too much in it');

/** The files of an archive. Throws `SourceError` for more than can be held. */
function createList() {
  const files: TreeFile[] = [];
  let characters = 0;
  const list = (file: TreeFile) => {
    characters += file.name.length;
    if (files.length >= importExport.most.remembered || characters > importExport.most.characters)
      throw tooMuch();
    files.push(file);
  };
  return { files, list };
}

/** A folder as one file (tar), which is how a browser sends it. Nothing of it is unpacked. */
export async function tarTree(file: SourceFile): Promise<FileTree> {
  const { files, list } = createList();
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
      // What was not read of an entry has to pass before the next one comes.
      entry.resume();
    }
  } catch (cause) {
    throw cause instanceof SourceError ? cause : damaged(cause);
  } finally {
    source.destroy();
    tar.destroy();
  }
}

/** How much more than its own size the files of an archive may have: packed text has a tenth, not a hundredth. */
const mostGrowth = { times: 100, bytes: 100_000_000 } as const;

/** Opens a zip archive. Requested files are unpacked, and all together to no more than the size of the archive allows. */
export async function zipTree(file: SourceFile): Promise<FileTree> {
  const { files, list } = createList();
  let bytes = 0;
  const { size } = typeof file === 'string' ? await stat(file) : await file.stat();
  const most = Math.min(importExport.unpackedBytes, size * mostGrowth.times + mostGrowth.bytes);
  for await (const { entry } of zipEntries(file)) {
    bytes += entry.uncompressedSize;
    if (bytes > most) throw tooMuch();
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

/** Field of an entry that holds its name in Unicode. */
const unicodePath = 0x7075;

/** Bit of an entry's flags that says that its name is UTF-8. */
const utf8Flag = 0x800;

/** Name of an entry. The Finder of macOS writes names in UTF-8 without the flag for it, and readers take them for CP437. */
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
    // A handle is its owner's to close.
    if (typeof file === 'string') zip.close();
  }
}
