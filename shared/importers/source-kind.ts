import { stat } from 'node:fs/promises';
import type { ImportAnswers, ImportMax } from '../contract/features/import-export.ts';
import { decodeLines } from './csv-rows.ts';
import { withoutUtf16 } from './decode-text.ts';
import type { FileTree } from './file-tree.ts';
import type { ForeignSite } from './foreign-record.ts';
import { chunksOf, type FileReference, fileAt, SourceError, type SourceFile } from './source-file.ts';

/** Format of a source: an archive of this service, a container of files, an export of another system, or a list of people. */
export type SourceKind = 'archive' | 'folder' | 'tar' | 'zip' | 'ghost' | 'wordpress' | 'people';

const zipSignature = 'PK\u0003\u0004';

/** Offset and text of the signature in a tar header. */
const tarSignature = { at: 257, text: 'ustar' } as const;

/** Detects the format of a file. Throws `SourceError` if it is unknown. */
export async function kindOf(file: SourceFile): Promise<SourceKind> {
  if (typeof file === 'string' && (await stat(file)).isDirectory()) return 'folder';
  const beginning = await beginningOf(chunksOf(file));
  if (beginning[0] === 0x1f && beginning[1] === 0x8b) return 'archive';
  if (
    beginning.toString('latin1', tarSignature.at, tarSignature.at + tarSignature.text.length) ===
    tarSignature.text
  )
    return 'tar';
  if (beginning.toString('latin1', 0, zipSignature.length) === zipSignature) return 'zip';
  const { text: read } = decodeLines(await beginningOf(withoutUtf16(chunksOf(file))));
  const text = read.trimStart();
  if (text.startsWith('{')) return 'ghost';
  if (text.startsWith('<')) return 'wordpress';
  const { isPeopleList } = await import('./people-list.ts');
  if (isPeopleList(text)) return 'people';
  throw new SourceError(
    'the file is neither an archive of a site, nor an export of Ghost (JSON or ZIP), WordPress (WXR), Substack or Medium (ZIP), nor a folder of Markdown, nor a list of people (CSV whose first line names a column email)',
  );
}

/** Maximum length of the first lines of a list of people, in bytes. */
const maxBeginning = 256 * 1024;

/** Returns the first bytes of a file. */
async function beginningOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    pieces.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBeginning) break;
  }
  return Buffer.concat(pieces).subarray(0, maxBeginning);
}

/**
 * Opens the files inside a source; null for formats that are a single file. Throws `SourceError` if it is damaged
 * or exceeds a limit of `max`. The readers are loaded on demand, because most servers never import anything.
 */
export async function treeIn(file: SourceFile, kind: SourceKind, max: ImportMax): Promise<FileTree | null> {
  const { folderTree, tarTree, zipTree } = await import('./file-tree.ts');
  if (kind === 'folder' && typeof file === 'string') return folderTree(file);
  if (kind === 'tar') return tarTree(file, max);
  return kind === 'zip' ? zipTree(file, max) : null;
}

/**
 * Opens a file with the importer of its format; `answers` are those to questions about a list of people. Throws
 * `SourceError` for a file that cannot be imported.
 */
export async function openSource({
  file,
  kind,
  now,
  answers,
  max,
}: {
  file: FileReference;
  kind: SourceKind;
  now: Date;
  answers?: ImportAnswers | undefined;
  max: ImportMax;
}): Promise<ForeignSite> {
  const source = fileAt(file);
  const content = () => chunksOf(source);
  if (kind === 'ghost') return (await import('./ghost.ts')).readGhost(content, now);
  if (kind === 'wordpress') return (await import('./wordpress.ts')).readWordPress(content, now);
  if (kind === 'people') return (await import('./people-list.ts')).readPeople(content, answers);
  const tree = await treeIn(source, kind, max);
  if (!tree) throw new SourceError('the file is not an export of a known system');
  return (await import('./tree-site.ts')).readTree(tree, now, answers);
}
