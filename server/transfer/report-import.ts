import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { type ImportLine, importExport } from '../../shared/contract/features/import-export.ts';
import type { SourceFile } from '../../shared/importers/index.ts';
import { toApiError } from '../api/api-error.ts';
import type { Infrastructure } from '../api/deps.ts';
import { type ImportFileOptions, importFile } from './import-file.ts';
import { waitForDrain } from './wait-for-drain.ts';

/** Number of keep-alive lines in the time after which a proxy closes a silent connection. */
const perTimeout = 3;

/**
 * Imports a file and writes a line for each record, then the counts or the error that ended it. The import stops if
 * its client disconnects or `ended` is aborted. Resolves after an error that the client can correct. Rejects if the
 * client has disconnected, and for other failures. Importing the same file again skips stored records.
 */
export async function reportImport(
  deps: Infrastructure,
  file: SourceFile,
  { ended, ...options }: ImportFileOptions & { ended: AbortSignal },
  lines: Transform,
): Promise<void> {
  const gone = new AbortController();
  lines.once('close', () => gone.abort(new Error('the client of the import has disconnected')));
  const tell = (line: ImportLine) => void lines.write(`${JSON.stringify(line)}\n`);
  const alive = setInterval(() => lines.write('\n'), deps.timeouts.transfer.stalledMs / perTimeout);
  try {
    const { counts } = await importFile(deps, file, {
      ...options,
      withinPlan: true,
      maxBytes: importExport.unpackedBytes,
      onRecord: (record) => tell({ record }),
      onQuestions: (questions) => tell({ questions: [...questions] }),
      async untilTaken() {
        if (lines.writableNeedDrain) await waitForDrain(lines);
      },
      signal: AbortSignal.any([gone.signal, ended]),
    });
    tell({ counts });
  } catch (error) {
    if (gone.signal.aborted) throw error;
    const { body, status } = toApiError(error, true);
    tell({ error: { ...body.error, fields: body.error.fields && [...body.error.fields] } });
    if (status >= 500) throw error;
  } finally {
    clearInterval(alive);
    lines.end();
    if (!lines.destroyed) await once(lines, 'close');
  }
}
