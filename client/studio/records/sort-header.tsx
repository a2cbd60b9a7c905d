import type { Sort } from '../../../shared/contract/pagination.ts';
import { IconArrowDown, IconArrowUp } from '../ui/icons.ts';
import classes from './record-table.module.css';

interface SortHeaderProps {
  /** What the column shows. */
  by: string;
  label: string;
  className?: string | undefined;
  sort: Sort;
  sorts: readonly Sort[];
  onSort(sort: Sort): void;
}

/** The head of a column; a button where the service can put the list into that order, and back into the opposite one. */
export function SortHeader({ by, label, className, sort, sorts, onSort }: SortHeaderProps) {
  const up = sorts.find((known) => known === by);
  const down = sorts.find((known) => known === `-${by}`);
  if (!up || !down) return <th className={className}>{label}</th>;
  const isMoment = by !== 'title';
  const first = isMoment ? down : up;
  const next = sort === first ? (isMoment ? up : down) : first;
  return (
    <th className={className} aria-sort={sort === up ? 'ascending' : sort === down ? 'descending' : 'none'}>
      <button
        type="button"
        className={classes.sort}
        data-active={sort === up || sort === down}
        onClick={() => onSort(next)}
      >
        {label}
        {sort === up && <IconArrowUp size={12} aria-hidden />}
        {sort === down && <IconArrowDown size={12} aria-hidden />}
      </button>
    </th>
  );
}
