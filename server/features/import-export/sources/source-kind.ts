import { stat } from 'node:fs/promises';
import { ApiError } from '../../../kernel/api-error.ts';
import { decodeText } from './decode-text.ts';
import type { FileTree } from './file-tree.ts';
import { isPeopleList } from './people-list.ts';
import { chunksOf, type SourceFile } from './source-file.ts';

/** What a file is: an archive of ours, something with files in it, an export of another system, or a list of people. */
export type SourceKind = 'archive' | 'folder' | 'tar' | 'zip' | 'ghost' | 'wordpress' | 'people';

/** What a zip file begins with. */
const zipMark = 'PK\u0003\u0004';

/** Where the header of a tar file says that it is one, and what. */
const tarMark = { at: 257, text: 'ustar' } as const;

/** Throws `validation_failed` for a file that is none of them. */
export async function kindOf(file: SourceFile): Promise<SourceKind> {
  if (typeof file === 'string' && (await stat(file)).isDirectory()) return 'folder';
  const beginning = await beginningOf(file);
  if (beginning[0] === 0x1f && beginning[1] === 0x8b) return 'archive';
  if (beginning.toString('latin1', tarMark.at, tarMark.at + tarMark.text.length) === tarMark.text)
    return 'tar';
  if (beginning.toString('latin1', 0, zipMark.length) === zipMark) return 'zip';
  const text = decodeText(beginning).text.trimStart();
  if (text.startsWith('{')) return 'ghost';
  if (text.startsWith('<')) return 'wordpress';
  if (isPeopleList(text)) return 'people';
  throw new ApiError(
    'validation_failed',
    'the file is neither an archive of a site, nor an export of Ghost (JSON or ZIP), WordPress (WXR), Substack or Medium (ZIP), nor a folder of Markdown, nor a list of people (CSV whose first line names a column email)',
  );
}

/** As much of a file as tells what it is. */
async function beginningOf(file: SourceFile): Promise<Buffer> {
  for await (const chunk of chunksOf(file)) return chunk.subarray(0, 1_024);
  return Buffer.alloc(0);
}

/** The files in a file; null where it has none. What reads them is loaded when it is needed: most servers never import anything. */
export async function treeIn(file: SourceFile, kind: SourceKind): Promise<FileTree | null> {
  const { folderTree, tarTree, zipTree } = await import('./file-tree.ts');
  if (kind === 'folder' && typeof file === 'string') return folderTree(file);
  if (kind === 'tar') return tarTree(file);
  return kind === 'zip' ? zipTree(file) : null;
}
