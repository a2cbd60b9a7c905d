import { footnote } from '@mdit/plugin-footnote';
import hljs from 'highlight.js/lib/common';
import MarkdownIt, {
  type Env,
  type MarkdownIt as Markdown,
  type StateBlock,
  type StateCore,
  type Token,
} from 'markdown-it';
import { mailtoUrl } from '../contract/email.ts';
import { declaredIds, ownMark } from './anchors.ts';

/**
 * Maximum number of characters that are highlighted, per code block and per body. Highlighting is the most expensive
 * part of rendering.
 */
const maxColoured = { ofOne: 8_000, ofAll: 32_000 } as const;

/**
 * Maximum line length of highlighted code, in UTF-16 units. A block with a longer line is not highlighted. Some grammars
 * scan the rest of the line from each word.
 */
const maxColouredLine = 300;

/** Languages that are not highlighted, because their grammars take more than quadratic time. */
const tooDear = new Set(['markdown']);

/** Returns a code block with syntax highlighting; empty if it is not highlighted. */
function colour(code: string, name: string): string {
  const language = hljs.getLanguage(name)?.name?.toLowerCase();
  if (!language || tooDear.has(language) || code.length > maxColoured.ofOne || hasLongLine(code)) return '';
  return hljs.highlight(code, { language: name, ignoreIllegals: true }).value;
}

const hasLongLine = (code: string) => code.split('\n').some(({ length }) => length > maxColouredLine);

const coloured = Symbol('characters of code that were coloured');

/** Stops highlighting within a body once the maximum is reached. */
function boundColours({ renderer: { rules } }: Markdown) {
  const { fence } = rules;
  if (!fence) throw new Error('the Markdown renderer has no rule for code blocks');
  rules.fence = (tokens, at, options, env = {}, renderer) => {
    const length = charactersOf(env) + (tokens[at]?.content.length ?? 0);
    const isTooMuch = length > maxColoured.ofAll;
    if (!isTooMuch) env[coloured] = length;
    return fence(tokens, at, isTooMuch ? { ...options, highlight: null } : options, env, renderer);
  };
}

const charactersOf = (env: Env): number => {
  const known = env[coloured];
  return typeof known === 'number' ? known : 0;
};

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: true, highlight: colour })
  .use(footnote)
  .use(declaredIds)
  .use(taskLists)
  .use(captions)
  .use(boundTables)
  .use(boundColours);

// Bare domains are more often prose than links: `e.g.this` or `server.ts`.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

// CommonMark does not escape `?`, `&` and `%` in an address such as `<r&d@example.com>`, but mail programs treat them
// as parts of the URL.
markdown.core.ruler.push('address_links', ({ tokens }) => {
  for (const { children } of tokens)
    for (const [at, token] of (children ?? []).entries())
      if (token.markup === 'autolink' && /^mailto:/.test(String(token.attrGet('href'))))
        token.attrSet('href', mailtoUrl(children?.[at + 1]?.content ?? ''));
});

/** Renders Markdown, including embedded HTML, as HTML that is not yet sanitized. */
export const markdownToHtml = (text: string): string => markdown.render(text, { docId: ownMark });

/** Parses Markdown into tokens. */
export const markdownTokens = (text: string): Token[] => markdown.parse(text, {});

/** Decodes the HTML entities of a text. */
export const withoutEntities = (text: string): string =>
  markdown.utils.unescapeAll(text.replace(/\\/g, '\\\\'));

/** Decodes the backslash escapes and entities of an address in Markdown. */
export const decodedAddress = (text: string): string => markdown.utils.unescapeAll(text);

/** Adds checkboxes to list items that begin with `[ ]` or `[x]`. */
function taskLists({ core: { ruler } }: Markdown) {
  ruler.after('inline', 'task_list', (state) => {
    const lists: Token[] = [];
    let boxes = 0;
    for (const [at, token] of state.tokens.entries()) {
      if (isList(token)) token.nesting > 0 ? lists.push(token) : lists.pop();
      const [item, paragraph] = [state.tokens[at - 2], state.tokens[at - 1]];
      if (item?.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open') continue;
      const box = /^\[([ xX\u00a0])\][ \u00a0]/.exec(token.content);
      if (!box) continue;
      addBox(state, token, { id: `task-item--${ownMark}-${boxes++}`, isDone: /x/i.test(box[1] ?? '') });
      item.attrSet('class', 'task-list-item');
      lists.at(-1)?.attrSet('class', 'task-list-container');
    }
  });
}

const isList = ({ type }: Token) => /^(bullet|ordered)_list_/.test(type);

function addBox({ Token }: StateCore, text: Token, { id, isDone }: { id: string; isDone: boolean }) {
  const [first] = text.children ?? [];
  if (!first || !text.children) return;
  first.content = first.content.slice('[ ]'.length);
  const box = new Token('checkbox_input', 'input', 0);
  box.attrs = [
    ['type', 'checkbox'],
    ['class', 'task-list-item-checkbox'],
    ['id', id],
    ...(isDone ? [['checked', 'checked'] as [string, string]] : []),
    ['disabled', 'disabled'],
  ];
  const label = new Token('label_open', 'label', 1);
  label.attrs = [
    ['class', 'task-list-item-label'],
    ['for', id],
  ];
  text.children = [box, label, ...text.children, new Token('label_close', 'label', -1)];
}

/** Turns the title of an image into a caption, if the image is alone in its paragraph, or is a link there. */
function captions({ core: { ruler } }: Markdown) {
  ruler.after('inline', 'captions', (state) => {
    for (const [at, token] of state.tokens.entries()) {
      const [before, after] = [state.tokens[at - 1], state.tokens[at + 1]];
      if (before?.type !== 'paragraph_open' || after?.type !== 'paragraph_close') continue;
      const title = takeTitle(token);
      if (!title) continue;
      token.children?.push(...captionOf(state, title));
      Object.assign(before, { type: 'figure_open', tag: 'figure', hidden: false });
      Object.assign(after, { type: 'figure_close', tag: 'figure', hidden: false });
    }
  });
}

function takeTitle({ children }: Token): string {
  const [image, ...more] = (children ?? []).filter(({ type }) => !/^link_(open|close)$/.test(type));
  if (image?.type !== 'image' || more.length > 0) return '';
  const title = String(image.attrGet('title') ?? '').trim();
  image.attrs = image.attrs?.filter(([name]) => name !== 'title') ?? null;
  return title;
}

function captionOf({ Token }: StateCore, title: string): Token[] {
  const text = new Token('text', '', 0);
  text.content = title;
  return [
    new Token('figcaption_open', 'figcaption', 1),
    text,
    new Token('figcaption_close', 'figcaption', -1),
  ];
}

/**
 * Maximum number of missing cells in the tables of a body. The parser creates each one, so a row of two bytes can
 * result in hundreds.
 */
const maxLackingCells = 10_000;

const lacking = Symbol('cells that the rows of the text lack');

/** Stops parsing tables within a body once too many cells are missing. Later tables stay as text. */
function boundTables({ block: { ruler } }: Markdown) {
  // markdown-it has no public access to a single rule. The rule for tables is the first one.
  const [table] = ruler.getRules('');
  if (!table) throw new Error('the Markdown parser has no rule for tables');
  const bounded: typeof table = (state, startLine, endLine, silent) => {
    const before = cellsLacking(state);
    if (before > maxLackingCells || !table(state, startLine, endLine, true)) return false;
    if (silent) return true;
    const now = before + lackingIn(state, startLine, endLine);
    state.env[lacking] = now;
    return now <= maxLackingCells && table(state, startLine, endLine, false);
  };
  ruler.at('table', bounded, { alt: ['paragraph', 'reference'] });
}

const cellsLacking = ({ env }: StateBlock): number => {
  const known = env[lacking];
  return typeof known === 'number' ? known : 0;
};

/** Counts missing cells in the rows of a table, up to the maximum. */
function lackingIn(state: StateBlock, startLine: number, endLine: number): number {
  const ends = state.md.block.ruler.getRules('blockquote');
  const columns = cellsOf(state, startLine + 1);
  let cells = 0;
  for (let line = startLine + 2; line < endLine && cells <= maxLackingCells; line += 1) {
    const isOver = state.isEmpty(line) || ends.some((rule) => rule(state, line, endLine, true));
    if (isOver || (state.sCount[line] ?? 0) < state.blkIndent) break;
    cells += Math.max(0, columns - cellsOf(state, line));
  }
  return cells;
}

/** Counts the cells of a row without outer bars. Each outer bar adds one. */
function cellsOf({ src, bMarks, eMarks }: StateBlock, line: number): number {
  let cells = 1;
  const end = eMarks[line] ?? 0;
  for (let at = bMarks[line] ?? 0; at < end; at += 1) if (src[at] === '|') cells += 1;
  return cells;
}
