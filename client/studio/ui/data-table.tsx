import { Checkbox } from '@mantine/core';
import type { ReactNode, Ref } from 'react';
import { texts } from '../strings/texts.ts';
import classes from './data-table.module.css';
import { IconArrowDown, IconArrowUp } from './icons.ts';

/** The first column names a row. */
export interface TableColumn<Row> {
  label: string;
  cell(row: Row): ReactNode;
  /**
   * Where it stands on a phone, where a row is a card: below the name, first how the row stands and then when it was, or
   * beside both. A detail is left out.
   */
  place?: 'detail' | 'state' | 'when' | 'actions';
  /** Numbers, in what is no list. */
  align?: 'end';
  /** What the list can be put into the order of. */
  sortBy?: string;
}

/** Rows that can be chosen, to do something with several at once. */
interface Choosing<Row> {
  chosen: ReadonlyMap<string, Row>;
  nameOf(row: Row): string;
  toggle(row: Row): void;
  toggleAll(rows: readonly Row[]): void;
}

export interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly TableColumn<Row>[];
  /** Whether its rows are cards where there is no room for columns. */
  isList?: boolean;
  choosing?: Choosing<Row> | undefined;
  sorting?: Sorting | undefined;
  tableRef?: Ref<HTMLTableElement> | undefined;
  /** Whether other rows are on their way. */
  isStale?: boolean;
}

/** Things as rows, or on a phone as cards. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { label, rows, columns, isList = false, choosing, sorting, tableRef, isStale = false } = props;
  return (
    <div className={classes.scroll}>
      <table
        className={classes.table}
        ref={tableRef}
        aria-label={label}
        aria-busy={isStale}
        data-list={isList}
        data-choosing={Boolean(choosing)}
      >
        <thead>
          <tr>
            {choosing && <ChooseAll {...{ rows, choosing }} />}
            {columns.map(({ label: heading, place, align, sortBy }) => (
              <th
                key={heading}
                data-place={place}
                data-align={align}
                scope="col"
                aria-sort={sorting && sortingOf(sorting, sortBy)}
              >
                {sorting && sortBy ? <SortButton by={sortBy} label={heading} {...sorting} /> : heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow
              key={row.id}
              {...{ row, columns, choosing }}
              isChosen={choosing?.chosen.has(row.id) ?? false}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChooseAll<Row extends { id: string }>({
  rows,
  choosing,
}: {
  rows: readonly Row[];
  choosing: Choosing<Row>;
}) {
  const here = rows.filter(({ id }) => choosing.chosen.has(id)).length;
  const all = rows.length > 0 && here === rows.length;
  return (
    <th data-place="check">
      <Checkbox
        size="xs"
        label={texts.records.chooseAll}
        classNames={{ labelWrapper: classes.all }}
        checked={all}
        indeterminate={!all && here > 0}
        onChange={() => choosing.toggleAll(rows)}
      />
    </th>
  );
}

interface TableRowProps<Row> {
  row: Row;
  columns: readonly TableColumn<Row>[];
  choosing: Choosing<Row> | undefined;
  isChosen: boolean;
}

function TableRow<Row>({ row, columns, choosing, isChosen }: TableRowProps<Row>) {
  return (
    <tr data-chosen={isChosen}>
      {choosing && (
        <td data-place="check">
          <Checkbox
            size="xs"
            aria-label={texts.records.choose(choosing.nameOf(row))}
            checked={isChosen}
            onChange={() => choosing.toggle(row)}
          />
        </td>
      )}
      {columns.map(({ label, place, align, cell }) => (
        <td key={label} data-place={place} data-align={align}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The order that a list has, of those that it can have: names of what it is ordered by, with a minus the highest first. */
interface Sorting {
  sort: string;
  sorts: readonly string[];
  onSort(sort: string): void;
}

function sortingOf({ sort, sorts }: Sorting, by = ''): 'ascending' | 'descending' | 'none' | undefined {
  if (!sorts.includes(by)) return undefined;
  if (sort === by) return 'ascending';
  return sort === `-${by}` ? 'descending' : 'none';
}

/** The head of a column that the list can be put into the order of, and back into the opposite one. */
function SortButton({ by, label, ...sorting }: Sorting & { by: string; label: string }) {
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
