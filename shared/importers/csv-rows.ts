import { isUtf8 } from 'node:buffer';
import { windows1252Note, withoutUtf16 } from './decode-text.ts';
import { SourceError } from './source-file.ts';

/**
 * Reader of CSV files.
 *
 * A malformed row must not affect other rows. Rows are therefore read from text in memory, and after a fault the next row
 * begins with the next line. `csv-parse` cannot resume there: it discards all text up to the fault, which for an unclosed
 * quotation mark is the rest of the file.
 *
 * After a fault, the lines that were read in vain are read again as rows of one line each. Text is therefore read at most three
 * times.
 */

/** Maximum length of a row, in characters. */
const maxRowLength = 256 * 1024;

/** Minimum size of the pieces in which the file is decoded, in bytes. */
const minPieceBytes = 32 * 1024;

/** A row of a file whose first line names its columns. */
export interface CsvRow {
  /** Number of the row's first line in the file, from 1. */
  line: number;
  /** Names of all columns, as the file has them. */
  header: readonly string[];
  /** Trimmed cells; none if the row is faulty. */
  cells: readonly string[];
  /** Reason why the row cannot be read, with its line; otherwise null. */
  fault: string | null;
  /** First line of a row that cannot be split into cells; otherwise empty. */
  raw: string;
  /** Note on a wrong encoding, not repeated in every row; otherwise null. */
  note: string | null;
  /** Returns true if the file has a column of this name, in the form of `columnName`. */
  has(name: string): boolean;
  /** Cell of the first column of this name; empty if the row is too short, undefined without such a column. */
  get(name: string): string | undefined;
}

/** Returns the name of a column for comparisons: lower-case words without accents, separated by blanks. */
export const columnName = (name: string): string =>
  name
    .slice(0, 200)
    .normalize('NFKC')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}\p{M}ー]+/gu, ' ')
    .trim();

/**
 * Yields the rows of a CSV file after its header; rows that cannot be read have a `fault`. Throws `SourceError` if its
 * first line is too long.
 */
export async function* csvRows(content: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  let header: string[] | undefined;
  let positions: ReadonlyMap<string, number> = new Map();
  let note: string | null = null;
  for await (const row of rowsIn(content)) {
    if (row.isOdd) note = windows1252Note;
    if (!header) {
      if (row.isTooLong)
        throw new SourceError(`the first line of a list has more than ${maxRowLength} characters`);
      header = (row.cells ?? plainCells(row.raw, row.separator)).map((name) => name.trim());
      // If several columns have one name, the first counts.
      positions = new Map(header.map((name, at) => [columnName(name), at] as const).reverse());
      continue;
    }
    const cells = (row.cells ?? []).map((cell) => cell.trim());
    const fault = row.fault ?? faultIn(cells, header.length);
    const at = positions;
    yield {
      ...{ line: row.line, header, note, raw: row.raw },
      cells: fault === null ? cells : [],
      fault: fault && `line ${row.line}: ${fault}`,
      has: (name) => at.has(name),
      get(name) {
        const position = at.get(name);
        return position === undefined ? undefined : (cells[position] ?? '');
      },
    };
    note = null;
  }
}

function faultIn(cells: readonly string[], columns: number): string | null {
  if (cells.slice(columns).some(Boolean))
    return `it has ${cells.length} cells, but the first line names ${columns} columns`;
  return cells.some((cell) => cell.includes('\0')) ? 'it contains a NUL character' : null;
}

/**
 * Returns the names of the columns in the first row of a text, in the form of `columnName`. Leading empty lines and
 * Excel's `sep=` line are skipped, and the separator is detected. An empty text has one column with an empty name.
 * Never throws; unbalanced quotation marks are removed.
 */
export function columnsIn(text: string): string[] {
  const { separator, at } = openingOf(text);
  const row = scanRow(text, at, { separator, isLast: true, isOneLine: false });
  const cells =
    row && 'cells' in row ? row.cells : plainCells(text.slice(at, endOfLine(text, at)), separator);
  return cells.map(columnName);
}

/** Splits a line into its cells at commas. Quotation marks that are unbalanced are removed. */
export function cellsOf(line: string): string[] {
  const row = scanRow(line, 0, { separator: ',', isLast: true, isOneLine: true });
  return row && 'cells' in row ? row.cells : plainCells(line, ',');
}

/** Splits a line whose quotation marks are unbalanced. */
const plainCells = (line: string, separator: string) =>
  line.split(separator).map((cell) => cell.replaceAll('"', ''));

/** Returns the separator of a text's cells, and the offset of its first row, after empty lines and Excel's `sep=` line. */
function openingOf(text: string): { separator: string; at: number } {
  const [blank = ''] = /^\s*/.exec(text) ?? [];
  const at = blank.includes('\t') ? 0 : blank.length;
  const [named, sign] = /^"?sep=([^\r\n"])"?[,;\t ]*(?:\r\n|\r|\n|$)/i.exec(text.slice(at, at + 1_000)) ?? [];
  if (named !== undefined && sign !== undefined) return { separator: sign, at: at + named.length };
  const bare = text
    .slice(at, endOfLine(text, at))
    .split('"')
    .filter((_, part) => part % 2 === 0)
    .join('');
  const count = (candidate: string) => bare.split(candidate).length;
  const separator = [',', ';', '\t', '|'].reduce((best, candidate) =>
    count(candidate) > count(best) ? candidate : best,
  );
  return { separator, at };
}

const tooLong = `it has more than ${maxRowLength} characters`;

/**
 * Yields rows whose columns are not known. `isOdd` is true for the first row with a line that is not UTF-8, once per decoded
 * piece, so that the note on the encoding is not repeated in every row.
 */
async function* rowsIn(content: AsyncIterable<Buffer>) {
  const pieces = textsOf(content);
  let opening: { separator: string; at: number } | undefined;
  let [text, line, isLast, isSkipping] = ['', 1, false, false];
  let oddLine = Number.POSITIVE_INFINITY;
  while (!isLast) {
    const { value: piece } = await pieces.next();
    isLast = piece === undefined;
    if (piece?.oddLine !== undefined) oddLine = Math.min(oddLine, line + lineEndsIn(text) + piece.oddLine);
    text += piece?.text ?? '';
    let at = 0;
    if (!opening && text.trim() !== '') {
      opening = openingOf(text);
      ({ at } = opening);
      line += lineEndsIn(text.slice(0, at));
    }
    const { separator = ',' } = opening ?? {};
    let oneLineUntil = 0;
    while (at < text.length) {
      const row = isSkipping ? null : scanRow(text, at, { separator, isLast, isOneLine: at < oneLineUntil });
      if (!isSkipping && row === null && text.length - at <= maxRowLength) break;
      const about = { line, separator, isTooLong: false, raw: '', fault: null };
      if (row && 'cells' in row) {
        const { cells, end, lines } = row;
        line += lines;
        at = end;
        const isOdd = oddLine < line;
        if (isOdd) oddLine = Number.POSITIVE_INFINITY;
        if (cells.length > 1 || cells[0]?.trim()) yield { ...about, cells, isOdd };
        continue;
      }
      const lineEnd = endOfLine(text, at);
      if (!isSkipping) {
        const { fault, reached } = row ?? { fault: tooLong, reached: text.length };
        oneLineUntil = Math.max(oneLineUntil, beginOfLine(text, reached, at));
        const isOdd = oddLine <= line;
        if (isOdd) oddLine = Number.POSITIVE_INFINITY;
        const isTooLong = lineEnd - at > maxRowLength;
        yield { ...about, cells: null, fault, raw: text.slice(at, lineEnd), isTooLong, isOdd };
      }
      // The end of a line that is too long may be in a later piece.
      isSkipping = lineEnd === text.length && !isLast;
      at = lineEnd + lineEndAt(text, lineEnd);
      if (!isSkipping) line += 1;
    }
    text = text.slice(at);
  }
}

type ScannedRow = { cells: string[]; end: number; lines: number } | { fault: string; reached: number } | null;

interface ScanOptions {
  separator: string;
  /** True if no more text follows. */
  isLast: boolean;
  /** True if a cell with a line break makes the row faulty. */
  isOneLine: boolean;
}

function scanRow(text: string, from: number, options: ScanOptions): ScannedRow {
  const { separator, isLast } = options;
  const cells: string[] = [];
  let [at, lines] = [from, 1];
  for (;;) {
    let begin = at;
    while (text[begin] === ' ') begin += 1;
    if (text[begin] === '"') {
      const quoted = scanQuoted(text, begin + 1, from, options);
      if (quoted === null || 'fault' in quoted) return quoted;
      cells.push(quoted.cell);
      lines += lineEndsIn(quoted.cell);
      at = quoted.end;
      while (text[at] === ' ') at += 1;
      if (at < text.length && text[at] !== separator && !isLineEnd(text[at]))
        return { fault: 'text follows the quotation mark that ends a cell', reached: at };
    } else {
      at = endOfCell(text, at, separator);
      const cell = text.slice(begin, at);
      if (cell.includes('"'))
        return { fault: 'a cell contains a quotation mark, but does not begin with one', reached: at };
      cells.push(cell);
    }
    if (at - from > maxRowLength) return { fault: tooLong, reached: at };
    if (at >= text.length && !isLast) return null;
    if (text[at] !== separator) return { cells, end: at + lineEndAt(text, at), lines };
    at += 1;
  }
}

/**
 * Reads a quoted cell from after its opening quotation mark. Two marks stand for one. Null if its end is not in the text
 * yet.
 */
function scanQuoted(
  text: string,
  from: number,
  row: number,
  { isLast, isOneLine }: ScanOptions,
): { cell: string; end: number } | { fault: string; reached: number } | null {
  const lineEnd = isOneLine ? endOfLine(text, from) : text.length;
  const limit = Math.min(lineEnd, row + maxRowLength);
  let [cell, at] = ['', from];
  for (;;) {
    const mark = text.indexOf('"', at);
    if (mark === -1 || mark >= limit) {
      if (!isLast && !isOneLine && text.length <= row + maxRowLength) return null;
      return { fault: 'a quotation mark opens a cell that is not closed', reached: limit };
    }
    cell += text.slice(at, mark);
    if (text[mark + 1] !== '"') return { cell, end: mark + 1 };
    cell += '"';
    at = mark + 2;
  }
}

const isLineEnd = (sign: string | undefined) => sign === '\n' || sign === '\r';

/** Returns the length of the line end at an offset; 0 if there is none. */
function lineEndAt(text: string, at: number): number {
  if (text[at] === '\r' && text[at + 1] === '\n') return 2;
  return isLineEnd(text[at]) ? 1 : 0;
}

const lineEnds = /\r\n|\r|\n/g;
const lineEndsIn = (text: string): number => text.match(lineEnds)?.length ?? 0;

const anyLineEnd = /[\r\n]/g;

function endOfLine(text: string, from: number): number {
  anyLineEnd.lastIndex = from;
  return anyLineEnd.exec(text)?.index ?? text.length;
}

function endOfCell(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && !isLineEnd(text[at])) at += 1;
  return at;
}

/** Returns the offset at which the line that contains the offset `around` begins, but at least `min`. */
function beginOfLine(text: string, around: number, min: number): number {
  let at = around;
  while (at > min && !isLineEnd(text[at - 1])) at -= 1;
  return at;
}

interface DecodedLines {
  text: string;
  /** First line that is not UTF-8, counted from 0. */
  oddLine?: number;
}

/** Yields the text in pieces that end with a line, unless a line is longer than the maximum row. */
async function* textsOf(content: AsyncIterable<Buffer>): AsyncGenerator<DecodedLines, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  const decoded = (bytes: Buffer) => {
    const isMarked = isFirst && bytes.toString('latin1', 0, 3) === '\u00ef\u00bb\u00bf';
    isFirst = false;
    return decodeLines(isMarked ? bytes.subarray(3) : bytes);
  };
  let waiting: Buffer[] = [];
  let bytesWaiting = 0;
  for await (const chunk of withoutUtf16(content)) {
    waiting.push(chunk);
    bytesWaiting += chunk.length;
    if (bytesWaiting < minPieceBytes) continue;
    const bytes = Buffer.concat([rest, ...waiting]);
    [waiting, bytesWaiting] = [[], 0];
    // A carriage return at the end may be the first half of a line end.
    const lines = Math.max(bytes.lastIndexOf('\n'), bytes.lastIndexOf('\r', -2)) + 1;
    const end = lines === 0 && bytes.length > maxRowLength ? bytes.length : lines;
    rest = bytes.subarray(end);
    if (end > 0) yield decoded(bytes.subarray(0, end));
  }
  const bytes = Buffer.concat([rest, ...waiting]);
  if (bytes.length > 0) yield decoded(bytes);
}

/**
 * Decodes UTF-8. Lines that are not UTF-8 are decoded as Windows-1252, so that a wrong byte affects only its own line.
 * `oddLine` is the index of the first such line, from 0; undefined if there are none.
 */
export function decodeLines(bytes: Buffer): DecodedLines {
  if (isUtf8(bytes)) return { text: bytes.toString() };
  const latin = new TextDecoder('windows-1252');
  const signs = bytes.toString('latin1');
  let [text, from, count] = ['', 0, 0];
  let oddLine: number | undefined;
  while (from < bytes.length) {
    const end = endOfLine(signs, from);
    const next = end + Math.max(1, lineEndAt(signs, end));
    const line = bytes.subarray(from, next);
    const isOdd = !isUtf8(line);
    if (isOdd) oddLine ??= count;
    text += isOdd ? latin.decode(line) : line.toString();
    from = next;
    count += 1;
  }
  return { text, ...(oddLine !== undefined && { oddLine }) };
}
