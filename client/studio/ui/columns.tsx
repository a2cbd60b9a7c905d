import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { strings } from '../strings/ui-strings.ts';
import classes from './data-table.module.css';
import type { TableColumn } from './data-table.tsx';
import { Time } from './time.tsx';

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
