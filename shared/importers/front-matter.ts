import { parse as parseToml } from 'smol-toml';
import { isAlias, isCollection, isMap, isPair, isScalar, parseDocument } from 'yaml';

/** Fields of front matter by name in lower case. */
export type FrontMatter = ReadonlyMap<string, unknown>;

/** File split into front matter and text. With a problem, the whole file is the text. */
export type ReadFile =
  | { matter: FrontMatter; body: string; problem?: never }
  | { problem: string; body: string; matter?: never };

/** Maximum length of front matter, in characters. Parsing time grows with it. */
const maxLength = 64 * 1024;

const none: FrontMatter = new Map();

type Parse = (text: string) => unknown;

/** Formats by the word after the opening dashes, as in Eleventy. */
const formats = new Map<string, Parse>([
  ['', yaml],
  ['yaml', yaml],
  ['yml', yaml],
  ['json', JSON.parse],
  ['toml', parseToml],
]);

/**
 * Splits a file into its front matter (YAML, TOML or JSON) and its text. Without front matter, `matter` is empty.
 * Front matter that cannot be read is a problem, because it may have hidden the text.
 */
export function readFrontMatter(text: string): ReadFile {
  const begin = text.search(/\S/);
  if (begin < 0) return { matter: none, body: '' };
  const [opening = '', rest] = cutLine(text, begin);
  const mark = opening.slice(0, 3);
  if (mark === '---' && /^---(?:\s|\w|$)/.test(opening)) {
    const format = opening.slice(3).trim().toLowerCase();
    const parse = formats.get(format);
    if (!parse) return problem(text, `has an unknown format: ${format.slice(0, 20)}`);
    return between(text, rest, /^(?:---|\.\.\.)[ \t]*\r?$/m, parse);
  }
  if (mark === '+++' && opening.trim() === '+++') return between(text, rest, /^\+\+\+[ \t]*\r?$/m, parseToml);
  return /^\{\s*["}]/.test(text.slice(begin, begin + 1_000))
    ? jsonAtTop(text, begin)
    : { matter: none, body: text };
}

/** Parses a data file in the named format; undefined if it cannot be read or is longer than `max` UTF-16 units. */
export function parseValues(text: string, format: string, max = maxLength): unknown {
  if (text.length > max) return undefined;
  try {
    return comparable(formats.get(format)?.(text));
  } catch {
    return undefined;
  }
}

/** Fields with texts for readers, which are not normalized. */
const textNames = /(?:title|description|excerpt|summary|alt|caption)$/i;

/**
 * Normalizes names and texts to Unicode NFC, as file names are, so that equal names compare as equal. Throws
 * `RangeError` for values nested too deeply.
 */
function comparable(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return textNames.test(name) ? value : value.normalize('NFC');
  if (Array.isArray(value)) return value.map((each) => comparable(each, name));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.normalize('NFC'), comparable(each, key.trim())]),
  );
}

/** Parses the fields of a data file in the named format; null if it cannot be read. */
export function parseMatter(text: string, format: string): FrontMatter | null {
  const values = parseValues(text, format);
  return values === undefined ? null : matterOf(values);
}

/** Returns an object as front matter, with names in lower case; empty for other values. */
export const matterOf = (value: unknown): FrontMatter =>
  new Map(
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([name, each]) => [name.trim().toLowerCase(), each])
      : [],
  );

/** Returns the line at an offset, and the offset of the next line. */
function cutLine(text: string, from: number): [line: string, next: number] {
  const end = text.indexOf('\n', from);
  return end < 0 ? [text.slice(from).trimEnd(), text.length] : [text.slice(from, end).trimEnd(), end + 1];
}

const problem = (body: string, why: string): ReadFile => ({ body, problem: `its front matter ${why}` });

function between(text: string, from: number, closing: RegExp, parse: Parse): ReadFile {
  // A few characters more than the maximum, to distinguish front matter that is too long from unclosed front matter.
  const head = text.slice(from, from + maxLength + 10);
  const end = closing.exec(head);
  if (!end) return problem(text, head.length > maxLength ? tooLong : 'has no closing line');
  const [, next] = cutLine(text, from + end.index);
  return parsed(text, head.slice(0, end.index), parse, next);
}

const tooLong = `is longer than ${maxLength / 1024} KB`;

/** Reads a JSON object at the top of a file, up to its closing bracket, as Hugo does. */
function jsonAtTop(text: string, from: number): ReadFile {
  const head = text.slice(from, from + maxLength);
  let depth = 0;
  for (const { 0: sign, index } of head.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|[{}]/gs)) {
    if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
    const next = index + 1;
    if (depth === 0) return parsed(text, head.slice(0, next), JSON.parse, from + next);
  }
  return problem(text, head.length === maxLength ? tooLong : 'has no closing bracket');
}

function parsed(text: string, head: string, parse: Parse, next: number): ReadFile {
  try {
    const values = comparable(parse(head) ?? {});
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      return problem(text, 'does not consist of field names and values');
    const matter = new Map<string, unknown>();
    for (const [name, value] of Object.entries(values)) {
      const known = name.trim().toLowerCase();
      if (matter.has(known)) return problem(text, `contains the field ${known.slice(0, 50)} twice`);
      matter.set(known, value);
    }
    return { matter, body: text.slice(next) };
  } catch (error) {
    return problem(
      text,
      `cannot be read: ${error instanceof Error ? firstLine(error.message) : 'unknown error'}`,
    );
  }
}

const firstLine = (text: string) => text.split('\n', 1).join('').slice(0, 200);

/**
 * Parses YAML. The parser's own check for duplicate names takes quadratic time, and its error messages render every
 * line, so both are off.
 */
function yaml(text: string): unknown {
  const document = parseDocument(text, {
    uniqueKeys: false,
    merge: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error) throw error;
  const { contents } = document;
  requirePlain(contents, []);
  const names = isMap(contents)
    ? contents.items.map(({ key }) => String(isScalar(key) ? key.value : key))
    : [];
  if (new Set(names).size < names.length) throw new Error('a field name occurs twice');
  return document.toJS({ maxAliasCount: 10 });
}

/**
 * Rejects field names that are not text, and values that contain themselves: both could grow without limit. `anchors`
 * are the names of the enclosing values.
 */
function requirePlain(node: unknown, anchors: readonly string[]) {
  if (isAlias(node) && anchors.includes(node.source)) throw new Error('a value contains itself');
  if (!isCollection(node)) return;
  const around = node.anchor === undefined ? anchors : [...anchors, node.anchor];
  for (const item of node.items) {
    if (isPair(item) && !isScalar(item.key)) throw new Error('a field name is not text');
    requirePlain(isPair(item) ? item.value : item, around);
  }
}
