import { once } from 'node:events';
import type { Transform } from 'node:stream';
import {
  type ImportAnswers,
  type ImportLine,
  type ImportMode,
  importExport,
} from '../../../shared/contract/features/import-export.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import type { TargetRule } from '../../../shared/webhooks/target.ts';
import { toApiError } from '../../kernel/api-error.ts';
import type { Infrastructure } from '../../kernel/deps.ts';
import { drained } from './drained.ts';
import { importFile } from './import-file.ts';
import type { SourceFile } from './sources/source-file.ts';

interface Import {
  file: SourceFile;
  siteId: string;
  actor: Actor;
  /** Tells what would become of each record, and changes nothing. */
  dryRun: boolean;
  mode: ImportMode;
  /** Pictures are fetched from the old site, by these rules. */
  fetchPictures?: TargetRule | undefined;
  /** Answers to the questions about a list of people. */
  answers?: ImportAnswers | undefined;
  /** Aborted when somebody else might import into the site too, or whoever imports may not any more. */
  ended: AbortSignal;
}

/** Signs of life in the time after which whoever is between takes a silent answer for dead. */
const perTimeout = 3;

/**
 * Imports a file, and writes a line for each record, then the sums, or why it ended early. It ends with its reader: what
 * is there is skipped when the same file comes again.
 */
export async function reportImport(
  deps: Infrastructure,
  { file, ended, ...options }: Import,
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
      mostBytes: importExport.unpackedBytes,
      onRecord: (record) => tell({ record }),
      onQuestions: (questions) => tell({ questions: [...questions] }),
      async untilTaken() {
        if (lines.writableNeedDrain) await drained(lines);
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
