export type LineKind = 'text' | 'code' | 'unclear';

interface Fence {
  mark: string;
  indent: number;
  isQuoted: boolean;
  /** Where the text of its list item begins, which ends with what stands before that. */
  least: number;
}

/** A line, apart from what it begins with. */
interface Line {
  rest: string;
  /** Columns of blanks before it, within a quote. */
  indent: number;
  isQuoted: boolean;
}

/** Where a text has been read to, line by line. */
export interface Place {
  /** Code between marks, until it ends. */
  fence: Fence | null;
  /** Where the texts of the lists begin that a line is in, the innermost last. */
  items: number[];
  isQuoted: boolean;
  before: 'gap' | 'text' | 'code';
}

export const topOfText = (): Place => ({ fence: null, items: [], isQuoted: false, before: 'gap' });

export function kindOfLine(written: string, place: Place): LineKind {
  const line = lineOf(written);
  if (place.fence && (line.isQuoted || !place.fence.isQuoted)) {
    const { least } = place.fence;
    if (closes(line, place.fence)) place.fence = null;
    // Its item has ended here, and the code with it; who wrote it may not have known.
    else if (line.rest !== '' && line.indent < least) return 'unclear';
    place.before = 'code';
    return 'code';
  }
  place.fence = null;
  if (line.isQuoted !== place.isQuoted) place.items = [];
  place.isQuoted = line.isQuoted;
  if (line.rest === '') {
    place.before = 'gap';
    return 'text';
  }
  const kind = kindByIndent(line, place);
  if (kind === 'code') return kind;
  place.fence = fenceIn(line, place.items.at(-1) ?? 0);
  return place.fence ? 'code' : kind;
}

function kindByIndent({ rest, indent }: Line, place: Place): LineKind {
  const { items, before } = place;
  const [, marker, blanks = ''] = /^([-*+]|\d{1,9}[.)])([ \t]+|$)/.exec(rest) ?? [];
  while ((before !== 'text' || marker !== undefined) && (items.at(-1) ?? 0) > indent) items.pop();
  const isInList = items.length > 0;
  if (indent - (items.at(-1) ?? 0) >= 4) {
    // HTML is indented as it likes, and code doesn't begin within a paragraph.
    if (before === 'text') return rest.startsWith('<') && !isInList ? 'text' : 'unclear';
    place.before = 'code';
    return isInList ? 'unclear' : 'code';
  }
  if (marker !== undefined)
    items.push(indent + marker.length + (blanks.length > 4 ? 1 : Math.max(blanks.length, 1)));
  place.before = /^#{1,6}\s/.test(rest) ? 'gap' : 'text';
  return 'text';
}

function fenceIn({ rest, indent, isQuoted }: Line, least: number): Fence | null {
  const [, before = '', mark] =
    /^((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(\x60{3,}(?=[^\x60]*$)|~{3,})/.exec(rest) ?? [];
  return mark === undefined ? null : { mark, indent: indent + before.length, isQuoted, least };
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

const closes = ({ rest, indent }: Line, { mark, indent: most }: Fence) =>
  rest.startsWith(mark) && indent <= most + 3 && rest === rest.charAt(0).repeat(rest.length);
