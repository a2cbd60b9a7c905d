export type LineKind = 'text' | 'code' | 'unclear';

interface Fence {
  mark: string;
  indent: number;
  isQuoted: boolean;
  /** Column at which the text of the enclosing list item begins. A line that begins before this column ends the item. */
  min: number;
}

/** Line without its indentation and quote marks. */
interface Line {
  rest: string;
  /** Columns of indentation, after the quote mark. */
  indent: number;
  isQuoted: boolean;
}

/** Position in a text that is read line by line. */
export interface Place {
  /** Open fenced code block; null outside of one. */
  fence: Fence | null;
  /** Columns at which the text of the enclosing list items begins, the innermost last. */
  items: number[];
  isQuoted: boolean;
  before: 'gap' | 'text' | 'code';
}

export const topOfText = (): Place => ({ fence: null, items: [], isQuoted: false, before: 'gap' });

export function kindOfLine(written: string, position: Place): LineKind {
  const line = lineOf(written);
  if (position.fence && (line.isQuoted || !position.fence.isQuoted)) {
    const { min } = position.fence;
    if (closes(line, position.fence)) position.fence = null;
    // The list item has ended, and the code block with it. The author may not have intended that.
    else if (line.rest !== '' && line.indent < min) return 'unclear';
    position.before = 'code';
    return 'code';
  }
  position.fence = null;
  if (line.isQuoted !== position.isQuoted) position.items = [];
  position.isQuoted = line.isQuoted;
  if (line.rest === '') {
    position.before = 'gap';
    return 'text';
  }
  const kind = kindByIndent(line, position);
  if (kind === 'code') return kind;
  position.fence = fenceIn(line, position.items.at(-1) ?? 0);
  return position.fence ? 'code' : kind;
}

function kindByIndent({ rest, indent }: Line, position: Place): LineKind {
  const { items, before } = position;
  const [, marker, blanks = ''] = /^([-*+]|\d{1,9}[.)])([ \t]+|$)/.exec(rest) ?? [];
  while ((before !== 'text' || marker !== undefined) && (items.at(-1) ?? 0) > indent) items.pop();
  const isInList = items.length > 0;
  if (indent - (items.at(-1) ?? 0) >= 4) {
    // HTML may be indented, and code cannot begin within a paragraph.
    if (before === 'text') return rest.startsWith('<') && !isInList ? 'text' : 'unclear';
    position.before = 'code';
    return isInList ? 'unclear' : 'code';
  }
  if (marker !== undefined)
    items.push(indent + marker.length + (blanks.length > 4 ? 1 : Math.max(blanks.length, 1)));
  position.before = /^#{1,6}\s/.test(rest) ? 'gap' : 'text';
  return 'text';
}

function fenceIn({ rest, indent, isQuoted }: Line, min: number): Fence | null {
  const [, before = '', mark] =
    /^((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(\x60{3,}(?=[^\x60]*$)|~{3,})/.exec(rest) ?? [];
  return mark === undefined ? null : { mark, indent: indent + before.length, isQuoted, min };
}

const leadOf = (line: string) => /^[ \t>]*/.exec(line)?.[0] ?? '';

function lineOf(written: string): Line {
  const lead = leadOf(written);
  const isQuoted = lead.includes('>');
  const blanks = lead.slice(lead.lastIndexOf('>') + 1);
  let columns = 0;
  for (const blank of blanks) columns += blank === '\t' ? 4 - (columns % 4) : 1;
  return {
    rest: written.slice(lead.length).trimEnd(),
    indent: isQuoted ? Math.max(columns - 1, 0) : columns,
    isQuoted,
  };
}

const closes = ({ rest, indent }: Line, { mark, indent: max }: Fence) =>
  rest.startsWith(mark) && indent <= max + 3 && rest === rest.charAt(0).repeat(rest.length);
