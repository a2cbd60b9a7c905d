import type { Parser } from 'csv-parse';
import { ApiError } from '../../../kernel/api-error.ts';
import { drained } from '../drained.ts';
import { decodeText, withoutUtf16 } from './decode-text.ts';

/** Longest row that is read. */
const longest = 256 * 1024;

/** A row by the names of its columns, in lower case; of several of one name the first. */
export type CsvRow = Pick<ReadonlyMap<string, string>, 'get' | 'has'>;

/**
 * The rows of a file whose first line names its columns, one at a time; `onNote` is told what there is to say of its
 * encoding, `nameOf` says what a column is called. Throws `validation_failed` for what is no CSV.
 */
export async function* csvRows(
  content: AsyncIterable<Buffer>,
  onNote: (note: string) => void = () => {},
  nameOf = (name: string) => name,
): AsyncGenerator<CsvRow> {
  const { parse } = await import('csv-parse');
  const pieces = textsOf(content, onNote);
  const beginning = await pieces.next();
  const rows = parse({
    delimiter: separatorIn(beginning.value ?? ''),
    // Lists that were put together have lines of several kinds, and none may become a part of the one before.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longest,
  });
  const source = writeAll(beginning.value ?? '', pieces, rows);
  source.catch((error: Error) => rows.destroy(error));
  let columns: Columns | undefined;
  try {
    for await (const row of rows) {
      const cells = textsIn(row);
      if (columns) yield rowOf(columns, cells);
      else columns = columnsOf(cells.map((name) => nameOf(name.trim().toLowerCase())));
    }
    await source;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError('validation_failed', 'a list is no CSV, or has a row that is too long', { cause });
  } finally {
    rows.destroy();
  }
}

/** Where each column stands. */
type Columns = ReadonlyMap<string, number>;

const columnsOf = (names: readonly string[]): Columns =>
  new Map(names.map((name, at) => [name, at] as const).reverse());

/** A row costs what it is long, however many columns there could be. */
const rowOf = (columns: Columns, cells: readonly string[]): CsvRow => ({
  has: (name) => columns.has(name),
  get(name) {
    const at = columns.get(name);
    return at === undefined ? undefined : (cells[at]?.trim() ?? '');
  },
});

/** The names of columns in a first line, in lower case. */
export const columnsIn = (line: string): string[] =>
  line.split(separatorIn(line)).map((name) => name.replaceAll('"', '').trim().toLowerCase());

/** What stands most often between the columns of the first line. */
function separatorIn(text: string): string {
  const line = text.split(/[\r\n]/, 1).join('');
  const bare = line.split('"').filter((_, at) => at % 2 === 0);
  const count = (sign: string) => bare.join('').split(sign).length;
  return [',', ';', '\t'].reduce((most, sign) => (count(sign) > count(most) ? sign : most));
}

/** The text in pieces that end with a line, as long as lines are no longer than a row may be. */
async function* textsOf(
  content: AsyncIterable<Buffer>,
  onNote: (note: string) => void,
): AsyncGenerator<string, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let isNoted = false;
  const decoded = (bytes: Buffer) => {
    const { text, note } = decodeText(bytes);
    if (note !== null && !isNoted) onNote(note);
    isNoted ||= note !== null;
    return text;
  };
  for await (const chunk of withoutUtf16(content)) {
    const bytes = Buffer.concat([rest, chunk]);
    const lines = Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r')) + 1;
    const end = lines === 0 && bytes.length > longest ? bytes.length : lines;
    rest = bytes.subarray(end);
    if (end > 0) yield decoded(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield decoded(rest);
}

async function writeAll(beginning: string, others: AsyncIterable<string>, rows: Parser) {
  rows.write(beginning);
  for await (const piece of others) {
    if (rows.destroyed) return;
    if (!rows.write(piece)) await drained(rows);
  }
  rows.end();
}

const textsIn = (row: unknown): string[] => (Array.isArray(row) ? row.map(String) : []);
