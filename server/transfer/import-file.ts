import type { Actor } from '../../shared/contract/history.ts';
import { kindOf, type SourceFile } from '../../shared/importers/index.ts';
import { ApiError } from '../api/api-error.ts';
import { type ImportResult, importArchive } from './archive/import-archive.ts';
import { manifestOf } from './archive/unpack.ts';
import { areAnswered, importForeign } from './import-foreign.ts';
import type { ImportDeps, ImportOptions } from './import-target.ts';
import { refused } from './jobs.ts';

/**
 * Import engine.
 *
 * An import moves through these states. It holds the site's lock until it ends, so a site has one transfer at a time.
 *
 * - Check: the whole file is read before anything changes. Archives are compared with their manifest; files of other
 *   systems are read on a thread, without bodies.
 * - Plan: new records of another system get slugs, redirects and notes, and the files that they show are listed.
 *   Unanswered questions about a list of people end a dry run here, and fail an import.
 * - Media: in an import from another system, files are stored before the records that link to them. In an archive, each
 *   file precedes the row that describes it.
 * - Batches: the file is read once more, and rows are stored in batches of at most 500 (archives) or 200 (other
 *   systems), each in a transaction. A dry run reports the same outcomes and stores nothing.
 * - End: the counts are reported.
 *
 * An import that is aborted or killed keeps its stored batches. To resume, the same file is imported again: stored
 * records are skipped by their IDs or source IDs. The worker later deletes media files that no row names.
 */

export interface ImportFileOptions extends ImportOptions {
  /** Site to import into. An archive without it creates its own site. */
  siteId?: string | undefined;
  actor: Actor;
}

/**
 * Imports a file or folder and detects its format. Throws `validation_failed` for an unknown format or an unreadable
 * file. Throws `transfer_busy` if another import stores the same records, and the reason of `signal` after an abort.
 * With `withinPlan`, throws `payload_too_large` or `media_full` if an archive's media exceed the plan.
 */
export async function importFile(
  deps: ImportDeps,
  file: SourceFile,
  { siteId, ...options }: ImportFileOptions,
): Promise<ImportResult> {
  try {
    const kind = await kindOf(file);
    if (kind === 'archive') {
      areAnswered([], options);
      return await importArchive(deps, file, { ...options, siteId });
    }
    if (siteId === undefined)
      throw new ApiError(
        'validation_failed',
        'site: is required, because the file is not an archive of a site',
      );
    return await importForeign(deps, file, kind, { ...options, siteId });
  } catch (cause) {
    throw refused(cause);
  }
}

/**
 * Returns the site ID of an archive; null for an export of another system, which needs an existing site. Throws
 * `validation_failed` for an unknown format or a damaged archive.
 */
export async function siteOfArchive(file: SourceFile): Promise<string | null> {
  const kind = await kindOf(file).catch((cause: unknown) => {
    throw refused(cause);
  });
  if (kind !== 'archive') return null;
  return String((await manifestOf(file, new AbortController().signal)).site.id);
}
