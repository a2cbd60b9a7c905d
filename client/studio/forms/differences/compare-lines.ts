import { diffLines, diffWordsWithSpace } from 'diff';

/** A line of a comparison, or a count of unchanged lines that are left out. */
export type ComparedLine =
  | { kind: 'same' | 'removed' | 'added'; parts: readonly LinePart[] }
  | { kind: 'skipped'; count: number };

/** A part of a line, marked if it differs. */
export interface LinePart {
  text: string;
  isChanged: boolean;
}

/** Number of unchanged lines shown before and after a change. */
const context = 2;
/**
 * Time limit for a comparison, in milliseconds. If the lines are not compared in this time, all lines count as replaced.
 * If only the words are not, the remaining replaced lines have no marked words.
 */
const maxMs = 400;

/**
 * Compares two texts by line. Returns the removed and added lines, with two unchanged lines around each change. Empty
 * if both texts are empty.
 *
 * It takes 400 ms at most; longer comparisons are less exact.
 */
export function compareLines(before: string, after: string): ComparedLine[] {
  const until = performance.now() + maxMs;
  const changes = diffLines(ended(before), ended(after), { timeout: maxMs });
  if (!changes) return [...plain('removed', before), ...plain('added', after)];
  return changes.flatMap((change, index) => {
    const [previous, next] = [changes[index - 1], changes[index + 1]];
    if (change.removed)
      return next?.added ? paired(change.value, next.value, until) : plain('removed', change.value);
    // Added lines that follow removed ones were already returned, paired with them.
    if (change.added) return previous?.removed ? [] : plain('added', change.value);
    return unchanged(change.value, { isFirst: index === 0, isLast: index === changes.length - 1 });
  });
}

/** Ends a text with a newline, so that the last line compares like the others. */
const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const linesOf = (text: string) => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');

const plain = (kind: 'same' | 'removed' | 'added', text: string): ComparedLine[] =>
  text === '' ? [] : linesOf(text).map((line) => ({ kind, parts: [{ text: line, isChanged: false }] }));

function unchanged(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): ComparedLine[] {
  const lines = plain('same', text);
  const head = isFirst ? 0 : context;
  const tail = isLast ? 0 : context;
  const count = lines.length - head - tail;
  if (count < 2) return lines;
  return [...lines.slice(0, head), { kind: 'skipped', count }, ...lines.slice(lines.length - tail)];
}

/** Returns replaced lines; lines that have a counterpart mark the changed words. */
function paired(removed: string, added: string, until: number): ComparedLine[] {
  const [before, after] = [linesOf(removed), linesOf(added)];
  const pairs = before.map((line, index) => comparedWords(line, after[index], until));
  return [
    ...before.map((line, index) => lineOf('removed', line, pairs[index]?.removed)),
    ...after.map((line, index) => lineOf('added', line, pairs[index]?.added)),
  ];
}

const lineOf = (
  kind: 'removed' | 'added',
  line: string,
  parts: readonly LinePart[] | undefined,
): ComparedLine => ({
  kind,
  parts: parts ?? [{ text: line, isChanged: false }],
});

/** Compares the words of two lines. Returns undefined if less than half is equal, or if there is no time left. */
function comparedWords(before: string, after: string | undefined, until: number) {
  const leftMs = until - performance.now();
  if (after === undefined || leftMs <= 0) return undefined;
  const labels = diffWordsWithSpace(before, after, { timeout: Math.min(leftMs, maxMs / 4) });
  const same = (labels ?? []).filter(({ added, removed }) => !added && !removed);
  const shared = same.reduce((sum, { value }) => sum + value.length, 0);
  if (!labels || shared * 2 < Math.max(before.length, after.length)) return undefined;
  const side = (other: 'added' | 'removed'): LinePart[] =>
    labels
      .filter((word) => !word[other])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { removed: side('added'), added: side('removed') };
}
