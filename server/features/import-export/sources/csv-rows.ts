import { parse } from 'csv-parse';
import { ApiError } from '../../../kernel/api-error.ts';
import { drained } from '../drained.ts';
import { withoutUtf16 } from './decode-text.ts';

/** Longest row that is read. */
const longest = 256 * 1024;

/** A row by the names of its columns, in lower case. */
export type CsvRow = ReadonlyMap<string, string>;

/** The rows of a file whose first line names its columns, one at a time. Throws `validation_failed` for what is no CSV. */
export async function* csvRows(content: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  const rows = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longest,
  });
  const source = writeAll(content, rows);
  source.catch((error: Error) => rows.destroy(error));
  let names: string[] | undefined;
  try {
    for await (const row of rows) {
      const cells = textsIn(row);
      if (names) yield new Map(names.map((name, at) => [name, cells[at]?.trim() ?? '']));
      else names = cells.map((name) => name.trim().toLowerCase());
    }
    await source;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(
      'validation_failed',
      'a list of the archive is no CSV, or has a row that is too long',
      { cause },
    );
  } finally {
    rows.destroy();
  }
}

async function writeAll(content: AsyncIterable<Buffer>, rows: ReturnType<typeof parse>) {
  for await (const chunk of withoutUtf16(content)) {
    if (rows.destroyed) return;
    if (!rows.write(chunk)) await drained(rows);
  }
  rows.end();
}

const textsIn = (row: unknown): string[] => (Array.isArray(row) ? row.map(String) : []);
