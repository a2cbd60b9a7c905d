import { parse as parseToml } from 'smol-toml';
import { isAlias, isCollection, isMap, isPair, isScalar, parseDocument } from 'yaml';

/** What a file says of itself before its text. */
export type FrontMatter = ReadonlyMap<string, unknown>;

/** A file in its two parts; with a problem, its text is all that is in it. */
export type ReadFile =
  | { matter: FrontMatter; body: string; problem?: never }
  | { problem: string; body: string; matter?: never };

/** Longest front matter that is read: what parses it takes more time the longer it is. */
const longest = 64 * 1024;

const none: FrontMatter = new Map();

type Parse = (text: string) => unknown;

/** What follows the dashes at the beginning says what is between them (Eleventy). */
const formats = new Map<string, Parse>([
  ['', yaml],
  ['yaml', yaml],
  ['yml', yaml],
  ['json', JSON.parse],
  ['toml', parseToml],
]);

/**
 * Splits a file into its front matter (YAML, TOML, JSON), with names in lower case, and its text. Front matter that cannot be
 * read is a problem, because it may have hidden the text.
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
    return between(text, rest, { closing: /^(?:---|\.\.\.)[ \t]*\r?$/m, parse });
  }
  if (mark === '+++' && opening.trim() === '+++')
    return between(text, rest, { closing: /^\+\+\+[ \t]*\r?$/m, parse: parseToml });
  return /^\{\s*["}]/.test(text.slice(begin, begin + 1_000))
    ? jsonAtTop(text, begin)
    : { matter: none, body: text };
}

/** What a file of nothing but values says, in the format of this name; undefined for one that can't be read. */
export function parseValues(text: string, format: string, most = longest): unknown {
  if (text.length > most) return undefined;
  try {
    return comparable(formats.get(format)?.(text));
  } catch {
    return undefined;
  }
}

/** Names whose values are texts for readers, which stay as sent. */
const textNames = /(?:title|description|excerpt|summary|alt|caption)$/i;

/**
 * Returns a parsed value with its names and texts in Unicode NFC, as names of files are, so that equal names compare as
 * equal. Throws `RangeError` for values nested too deeply.
 */
function comparable(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return textNames.test(name) ? value : value.normalize('NFC');
  if (Array.isArray(value)) return value.map((each) => comparable(each, name));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.normalize('NFC'), comparable(each, key.trim())]),
  );
}

/** A file of nothing but names and values, in the format of this name; null for one that can't be read. */
export function parseMatter(text: string, format: string): FrontMatter | null {
  const values = parseValues(text, format);
  return values === undefined ? null : matterOf(values);
}

/** An object with its names in lower case; empty for what is none. */
export const matterOf = (value: unknown): FrontMatter =>
  new Map(
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([name, each]) => [name.trim().toLowerCase(), each])
      : [],
  );

/** A line, and where the next one begins. */
function cutLine(text: string, from: number): [line: string, next: number] {
  const end = text.indexOf('\n', from);
  return end < 0 ? [text.slice(from).trimEnd(), text.length] : [text.slice(from, end).trimEnd(), end + 1];
}

const problem = (body: string, why: string): ReadFile => ({ body, problem: `its front matter ${why}` });

function between(
  text: string,
  from: number,
  { closing, parse }: { closing: RegExp; parse: Parse },
): ReadFile {
  // One character more than may stand there, so that what is too long is told from what isn't closed.
  const head = text.slice(from, from + longest + 10);
  const end = closing.exec(head);
  if (!end) return problem(text, head.length > longest ? tooLong : 'has no closing line');
  const [, next] = cutLine(text, from + end.index);
  return parsed(text, head.slice(0, end.index), { parse, next });
}

const tooLong = `is longer than ${longest / 1024} KB`;

/** An object of JSON at the top of a file, as far as its brackets go (Hugo). */
function jsonAtTop(text: string, from: number): ReadFile {
  const head = text.slice(from, from + longest);
  let depth = 0;
  for (const { 0: sign, index } of head.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|[{}]/gs)) {
    if (sign === '{') depth += 1;
    else if (sign === '}') depth -= 1;
    const next = index + 1;
    if (depth === 0) return parsed(text, head.slice(0, next), { parse: JSON.parse, next: from + next });
  }
  return problem(text, head.length === longest ? tooLong : 'has no closing bracket');
}

function parsed(text: string, head: string, { parse, next }: { parse: Parse; next: number }): ReadFile {
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

/** The parser's own look for names that stand twice compares each with all others, and its messages show each line anew. */
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
 * Refuses names that are not text, and values that contain themselves: both could grow without end. `anchors` are the names of
 * the values around.
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
