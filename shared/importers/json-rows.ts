import { importExport } from '../contract/features/import-export.ts';
import { safeParseJson } from '../runtime/parse-json.ts';
import { decodeText, withoutUtf16 } from './decode-text.ts';
import { SourceError } from './source-file.ts';

/** Row of a table in an export: `{"db": [{"data": {"posts": [{…}, …]}}]}`, or with `data` at the top level. */
export interface JsonRow {
  table: string;
  /** Undefined for a row that cannot be read. */
  row: unknown;
  note: string | null;
}

interface Frame {
  isObject: boolean;
  /** Name of the field whose value the parser is reading. */
  key: string;
  /** Name in the parent object; for a list, the table to which its elements belong. */
  name: string;
  isTable: boolean;
}

const deepest = 64;
const [quote, backslash, open, close, begin, end] = Buffer.from('"\\{}[]');
const [colon, comma] = Buffer.from(':,');

/**
 * Yields the rows of a JSON file, one at a time, so that memory does not depend on its length. Throws `SourceError`
 * if the file is no JSON export.
 */
export async function* jsonRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonRow> {
  const reader = createReader();
  for await (const chunk of withoutUtf16(chunks)) yield* reader.read(chunk);
  reader.finish();
}

const broken = (why: string) => new SourceError(`the file is not a JSON export: ${why}`);

function createReader() {
  const stack: Frame[] = [];
  let word: number[] | null = null;
  let isEscaped = false;
  let isInString = false;
  let lastWord = '';
  let isKeyNext = false;
  let row: { pieces: Buffer[]; bytes: number; depth: number; table: string } | null = null;
  let hasBegun = false;

  const push = (isObject: boolean) => {
    const parent = stack.at(-1);
    const name = parent?.isObject ? parent.key : '';
    const isTable = !isObject && parent?.isObject === true && parent.name === 'data' && stack.length <= 4;
    if (stack.length >= deepest) throw broken('it is nested too deeply');
    stack.push({ isObject, key: '', name, isTable });
    isKeyNext = isObject;
  };

  const outside = (byte: number) => {
    if (byte === quote) [isInString, word] = [true, []];
    else if (byte === open || byte === begin) push(byte === open);
    else if (byte === close || byte === end) {
      if (stack.pop()?.isObject !== (byte === close)) throw broken('its brackets do not match');
      isKeyNext = false;
    } else if (byte === colon) {
      const frame = stack.at(-1);
      if (frame) frame.key = lastWord;
      isKeyNext = false;
    } else if (byte === comma) isKeyNext = stack.at(-1)?.isObject ?? false;
  };

  const inString = (byte: number) => {
    if (isEscaped) isEscaped = false;
    else if (byte === backslash) isEscaped = true;
    else if (byte === quote) {
      isInString = false;
      if (word && isKeyNext) lastWord = Buffer.from(word).toString();
      word = null;
    } else if (word && isKeyNext && word.length < 200) word.push(byte);
  };

  const take = (piece: Buffer) => {
    if (!row) return;
    row.bytes += piece.length;
    if (row.bytes <= importExport.recordBytes) row.pieces.push(piece);
    else row.pieces = [];
  };

  return {
    *read(chunk: Buffer): Generator<JsonRow> {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at] ?? 0;
        if (!hasBegun) {
          if (byte === open) hasBegun = true;
          else if (byte > 32 && byte < 128) throw broken('it does not begin with an object');
          else continue;
        }
        if (isInString) inString(byte);
        else if (row) {
          if (byte === quote) isInString = true;
          else if (byte === open || byte === begin) row.depth += 1;
          else if (byte === close || byte === end) row.depth -= 1;
          if (row.depth > 0) continue;
          take(chunk.subarray(from, at + 1));
          yield { table: row.table, ...parsed(row.pieces) };
          row = null;
        } else if (byte === open && stack.at(-1)?.isTable) {
          row = { pieces: [], bytes: 0, depth: 1, table: stack.at(-1)?.name ?? '' };
          from = at;
        } else outside(byte);
      }
      take(chunk.subarray(from));
    },
    finish() {
      if (!hasBegun) throw broken('it is empty');
      if (row || stack.length > 0) throw broken('it ends early');
    },
  };
}

/** Parses a row. The row is undefined if it is too long or not JSON. */
function parsed(pieces: Buffer[]): Omit<JsonRow, 'table'> {
  if (pieces.length === 0) return { row: undefined, note: null };
  // The pieces are released before the text is decoded, to halve the memory in use.
  const { text, note } = decodeText(Buffer.concat(pieces.splice(0)));
  return { row: safeParseJson(text), note };
}
