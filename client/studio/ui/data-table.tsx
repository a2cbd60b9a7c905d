import { Checkbox, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { strings } from '../strings/ui-strings.ts';
import classes from './data-table.module.css';
import { Time } from './time.tsx';

/** Column of a table. The first one names the row. */
export interface TableColumn<Row> {
  label: string;
  cell(row: Row): ReactNode;
  /**
   * Position on a phone, where a row is a card: state and then time below the name, actions beside both. Details are left
   * out.
   */
  column?: 'detail' | 'state' | 'when' | 'actions';
  /** Alignment of numbers, in tables that are not lists. */
  align?: 'end';
  /** Name of the sort order of this column. */
  sortBy?: string;
}

/** Selection of rows for bulk actions. */
interface RowSelection<Row> {
  chosen: ReadonlyMap<string, Row>;
  nameOf(row: Row): string;
  toggle(row: Row): void;
  toggleAll(rows: readonly Row[]): void;
}

export interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly TableColumn<Row>[];
  /** True if rows become cards on narrow screens. */
  isList?: boolean;
  choosing?: RowSelection<Row> | undefined;
  sorting?: Sorting | undefined;
  tableRef?: Ref<HTMLTableElement> | undefined;
  /** True while the rows are those of the previous page or filter. */
  isStale?: boolean;
}

/** Table of rows, which can become cards on a phone. */
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
            {columns.map(({ label: heading, column, align, sortBy }) => (
              <th
                key={heading}
                data-place={column}
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
            <TableRow key={row.id} {...{ row, columns, choosing }} />
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
  choosing: RowSelection<Row>;
}) {
  const here = rows.filter(({ id }) => choosing.chosen.has(id)).length;
  const all = rows.length > 0 && here === rows.length;
  return (
    <th data-place="check">
      <Checkbox
        size="xs"
        label={strings.records.chooseAll}
        classNames={{ labelWrapper: classes.all }}
        checked={all}
        indeterminate={!all && here > 0}
        onChange={() => choosing.toggleAll(rows)}
      />
    </th>
  );
}

type TableRowProps<Row> = Pick<DataTableProps<Row>, 'columns' | 'choosing'> & { row: Row };

function TableRow<Row extends { id: string }>({ row, columns, choosing }: TableRowProps<Row>) {
  const isChosen = choosing?.chosen.has(row.id) ?? false;
  return (
    <tr data-chosen={isChosen}>
      {choosing && (
        <td data-place="check">
          <Checkbox
            size="xs"
            aria-label={strings.records.choose(choosing.nameOf(row))}
            checked={isChosen}
            onChange={() => choosing.toggle(row)}
          />
        </td>
      )}
      {columns.map(({ label, column, align, cell }) => (
        <td key={label} data-place={column} data-align={align}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Current sort order, and those that the list allows. A leading minus sorts descending. */
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

/** Column heading that sorts by its column, and reverses the order on a second click. */
function SortButton({ by, label, ...sorting }: Sorting & { by: string; label: string }) {
  const { sort, sorts, onSort } = sorting;
  if (!sorts.includes(by)) return label;
  const down = `-${by}`;
  // The first click sorts titles from A and other columns from the highest.
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

interface RowLinkProps {
  to: string;
  children: ReactNode;
  /** ID of the row, for lists with keyboard navigation. */
  'data-row'?: string;
}

/** Link of a row; a click anywhere in the row follows it. */
export const RowLink = (props: RowLinkProps) => (
  <div className={classes.linkCell}>
    <Link className={classes.link} {...props} />
  </div>
);

interface TwoLinesProps {
  first: ReactNode;
  second: ReactNode;
  /** Target of the first line's link. */
  to?: string;
}

/** Cell with a first line and a smaller second one. */
export const TwoLines = ({ first, second, to }: TwoLinesProps) => (
  <div className={classes.two}>
    <div className={classes.first}>{to === undefined ? first : <RowLink to={to}>{first}</RowLink>}</div>
    <Text fz={12.5} c="dimmed" truncate component="div">
      {second}
    </Text>
  </div>
);

/** Returns a column with the name of a row and a detail below it. */
export const nameColumn = <Row,>(label: string, linesOf: (row: Row) => TwoLinesProps): TableColumn<Row> => ({
  label,
  cell: (row) => <TwoLines {...linesOf(row)} />,
});

export const stateColumn = <Row,>(cell: (row: Row) => ReactNode): TableColumn<Row> => ({
  label: strings.records.state,
  column: 'state',
  cell,
});

interface TimeColumnOptions {
  column?: 'when' | 'detail';
  /** Text if the time is null. */
  none?: string;
}

/** Returns a column with a time of each row. */
export const timeColumn = <Name extends string, Row extends Record<Name, Date | null>>(
  name: Name,
  label: string,
  { column = 'when', none = strings.common.never }: TimeColumnOptions = {},
): TableColumn<Row> => ({
  label,
  column,
  cell: ({ [name]: time }) => (time ? <Time at={time} /> : none),
});
