import { stat } from 'node:fs/promises';
import type { Actor } from '../../../shared/contract/history.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { decodeText } from './decode-text.ts';
import type { ForeignSite } from './foreign-record.ts';
import { type Imported, importArchive } from './import-archive.ts';
import { importForeign } from './import-foreign.ts';
import { chunksOf, type SourceFile } from './source-file.ts';
import type { ImportOptions, MovingDeps } from './target.ts';
import { manifestOf } from './unpack.ts';

export interface ImportFileOptions extends ImportOptions {
  /** The site to add to; an archive makes its own without it. */
  siteId?: string | undefined;
  /** Who imports. */
  actor: Actor;
}

/** Imports a file, or a folder, of whichever system. Throws `validation_failed` for what is of none. */
export async function importFile(
  deps: MovingDeps,
  file: SourceFile,
  { siteId, ...options }: ImportFileOptions,
): Promise<Imported> {
  const read = await readerOf(file);
  if (!read) return importArchive(deps, file, { ...options, siteId });
  if (siteId === undefined)
    throw new ApiError('validation_failed', 'site: name the one that this is to be added to');
  return importForeign(deps, await read(deps.clock.now()), { ...options, siteId });
}

/** Whose archive a file is, which makes its own site; null for what has to be added to one. */
export async function siteOfArchive(file: SourceFile): Promise<string | null> {
  if (await readerOf(file)) return null;
  return String((await manifestOf(file, new AbortController().signal)).site.id);
}

/** What a zip file begins with. */
const zipMark = 'PK\u0003\u0004';

/** Where the header of a tar file says that it is one, and what. */
const tarMark = { at: 257, text: 'ustar' } as const;

/** Reads what another system gave away; what was due before the moment is over. */
type Reader = (now: Date) => ForeignSite | Promise<ForeignSite>;

/** What reads it; null for an archive of ours. Each is loaded when it is needed: most servers never import anything. */
async function readerOf(file: SourceFile): Promise<Reader | null> {
  if (typeof file === 'string' && (await stat(file)).isDirectory()) {
    const { folderTree } = await import('./file-tree.ts');
    const { readTree } = await import('./tree-site.ts');
    return async (now) => readTree(await folderTree(file), now);
  }
  const beginning = await beginningOf(file);
  if (beginning[0] === 0x1f && beginning[1] === 0x8b) return null;
  return singleFileReader(file, beginning);
}

/** As much of a file as tells what it is. */
async function beginningOf(file: SourceFile): Promise<Buffer> {
  for await (const chunk of chunksOf(file)) return chunk.subarray(0, 1_024);
  return Buffer.alloc(0);
}

async function singleFileReader(file: SourceFile, beginning: Buffer): Promise<Reader> {
  if (beginning.toString('latin1', tarMark.at, tarMark.at + tarMark.text.length) === tarMark.text) {
    const { tarTree } = await import('./file-tree.ts');
    const { readTree } = await import('./tree-site.ts');
    return async (now) => readTree(await tarTree(file), now);
  }
  if (beginning.toString('latin1', 0, zipMark.length) === zipMark) {
    const { zipTree } = await import('./file-tree.ts');
    const { readTree } = await import('./tree-site.ts');
    return async (now) => readTree(await zipTree(file), now);
  }
  const content = () => chunksOf(file);
  const [first] = decodeText(beginning).text.trimStart();
  if (first === '{') {
    const { readGhost } = await import('./ghost.ts');
    return (now) => readGhost(content, now);
  }
  if (first === '<') {
    const { readWordPress } = await import('./wordpress.ts');
    return (now) => readWordPress(content, now);
  }
  throw new ApiError(
    'validation_failed',
    'the file is neither an archive of a site, nor an export of Ghost (JSON or ZIP), WordPress (WXR), nor a folder of Markdown',
  );
}
