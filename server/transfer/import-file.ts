import type { Actor } from '../../shared/contract/history.ts';
import { kindOf, type SourceFile } from '../../shared/importers/index.ts';
import { ApiError } from '../api/api-error.ts';
import { type Imported, importArchive } from './archive/import-archive.ts';
import { manifestOf } from './archive/unpack.ts';
import { areAnswered, importForeign } from './import-foreign.ts';
import { refused } from './jobs.ts';
import type { ImportDeps, ImportOptions } from './target.ts';

export interface ImportFileOptions extends ImportOptions {
  /** The site to add to; an archive makes its own without it. */
  siteId?: string | undefined;
  actor: Actor;
}

/** Imports a file, or a folder, of whichever system. Throws `validation_failed` for what is of none. */
export async function importFile(
  deps: ImportDeps,
  file: SourceFile,
  { siteId, ...options }: ImportFileOptions,
): Promise<Imported> {
  try {
    const kind = await kindOf(file);
    if (kind === 'archive') {
      areAnswered([], options);
      return await importArchive(deps, file, { ...options, siteId });
    }
    if (siteId === undefined)
      throw new ApiError('validation_failed', 'site: name the one that this is to be added to');
    return await importForeign(deps, file, kind, { ...options, siteId });
  } catch (cause) {
    throw refused(cause);
  }
}

/** Whose archive a file is, which makes its own site; null for what has to be added to one. */
export async function siteOfArchive(file: SourceFile): Promise<string | null> {
  const kind = await kindOf(file).catch((cause: unknown) => {
    throw refused(cause);
  });
  if (kind !== 'archive') return null;
  return String((await manifestOf(file, new AbortController().signal)).site.id);
}
