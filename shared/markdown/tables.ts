import type { MarkdownIt, StateBlock } from 'markdown-it';

/** Cells that the rows of a text may lack. Each is made all the same, so that a row of two bytes can have hundreds. */
const mostLacking = 10_000;

const lacking = Symbol('cells that the rows of the text lack');

/** Leaves the tables of a text as they were written from where too much of them is left out. */
export function boundTables({ block: { ruler } }: MarkdownIt) {
  // It is the first of the rules.
  const [table] = ruler.getRules('');
  if (!table) throw new Error('the Markdown parser has no rule for tables');
  const bounded: typeof table = (state, startLine, endLine, silent) => {
    const before = cellsLacking(state);
    if (before > mostLacking || !table(state, startLine, endLine, true)) return false;
    if (silent) return true;
    const now = before + lackingIn(state, startLine, endLine);
    state.env[lacking] = now;
    return now <= mostLacking && table(state, startLine, endLine, false);
  };
  ruler.at('table', bounded, { alt: ['paragraph', 'reference'] });
}

const cellsLacking = ({ env }: StateBlock): number => {
  const known = env[lacking];
  return typeof known === 'number' ? known : 0;
};

/** How many cells the rows of a table lack, as far as that matters. */
function lackingIn(state: StateBlock, startLine: number, endLine: number): number {
  const ends = state.md.block.ruler.getRules('blockquote');
  const columns = cellsOf(state, startLine + 1);
  let cells = 0;
  for (let line = startLine + 2; line < endLine && cells <= mostLacking; line += 1) {
    const isOver = state.isEmpty(line) || ends.some((rule) => rule(state, line, endLine, true));
    if (isOver || (state.sCount[line] ?? 0) < state.blkIndent) break;
    cells += Math.max(0, columns - cellsOf(state, line));
  }
  return cells;
}

/** As many as there are if no bar is at either end: one is one cell too many, both are two. */
function cellsOf({ src, bMarks, eMarks }: StateBlock, line: number): number {
  let cells = 1;
  const end = eMarks[line] ?? 0;
  for (let at = bMarks[line] ?? 0; at < end; at += 1) if (src[at] === '|') cells += 1;
  return cells;
}
