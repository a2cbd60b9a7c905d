import classes from './data-table.module.css';
import { IconArrowDown, IconArrowUp } from './icons.ts';

/** The order that a list has, of those that it can have: names of what it is ordered by, with a minus the highest first. */
export interface Sorting {
  sort: string;
  sorts: readonly string[];
  onSort(sort: string): void;
}

export function sortingOf(
  { sort, sorts }: Sorting,
  by = '',
): 'ascending' | 'descending' | 'none' | undefined {
  if (!sorts.includes(by)) return undefined;
  if (sort === by) return 'ascending';
  return sort === `-${by}` ? 'descending' : 'none';
}

/** The head of a column that the list can be put into the order of, and back into the opposite one. */
export function SortButton({ by, label, ...sorting }: Sorting & { by: string; label: string }) {
  const { sort, sorts, onSort } = sorting;
  if (!sorts.includes(by)) return label;
  const down = `-${by}`;
  // Titles begin with A, moments with the latest.
  const [first, second] = by === 'title' ? [by, down] : [down, by];
  return (
    <button
      type="button"
      className={classes.sort}
      data-active={sort === by || sort === down}
      onClick={() => onSort(sort === first ? second : first)}
    >
      {label}
      {sort === by && <IconArrowUp size={12} aria-hidden />}
      {sort === down && <IconArrowDown size={12} aria-hidden />}
    </button>
  );
}
