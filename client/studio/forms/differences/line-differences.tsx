import { useMemo } from 'react';
import { strings } from '../../strings/ui-strings.ts';
import { type ComparedLine, compareLines, type LinePart } from './compare-lines.ts';
import classes from './differences.module.css';

/** Comparison of two long texts in one column: removed and added lines, with some unchanged lines around them. */
export default function LineDifferences({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => compareLines(before, after), [before, after]);
  return (
    <div className={classes.lines}>
      {lines.map((line, index) => (
        // Lines have no identity other than their index, which does not change.
        <Line key={index} line={line} />
      ))}
    </div>
  );
}

function Line({ line }: { line: ComparedLine }) {
  if (line.kind === 'skipped') {
    return <div className={classes.skipped}>{strings.history.unchangedLines(line.count)}</div>;
  }
  const labels = line.parts.map(labelOf);
  if (line.kind === 'same') return <div className={classes.line}>{labels}</div>;
  const Change = line.kind === 'removed' ? 'del' : 'ins';
  return (
    <Change className={classes.line} data-kind={line.kind}>
      {labels}
    </Change>
  );
}

const labelOf = ({ text, isChanged }: LinePart, index: number) =>
  isChanged ? <mark key={`${index}${text}`}>{text}</mark> : text;
