import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { texts } from '../strings/texts.ts';
import classes from './data-table.module.css';
import type { TableColumn } from './data-table.tsx';
import { Moment } from './moment.tsx';

interface RowLinkProps {
  to: string;
  children: ReactNode;
  /** The row's id, where a list is gone through by keys. */
  'data-row'?: string;
}

/** A link that names a row leads to what it names from anywhere in the row. */
export const RowLink = (props: RowLinkProps) => (
  <div className={classes.linkCell}>
    <Link className={classes.link} {...props} />
  </div>
);

interface TwoLinesProps {
  first: ReactNode;
  second: ReactNode;
  /** Where the first one leads. */
  to?: string;
}

/** The first line of a cell, and a quieter second one. */
export const TwoLines = ({ first, second, to }: TwoLinesProps) => (
  <div className={classes.two}>
    <div className={classes.first}>{to === undefined ? first : <RowLink to={to}>{first}</RowLink>}</div>
    <Text fz={12.5} c="dimmed" truncate component="div">
      {second}
    </Text>
  </div>
);

/** What a row is called, and a little of what it is. */
export const nameColumn = <Row,>(label: string, linesOf: (row: Row) => TwoLinesProps): TableColumn<Row> => ({
  label,
  cell: (row) => <TwoLines {...linesOf(row)} />,
});

/** How a row stands. */
export const stateColumn = <Row,>(cell: (row: Row) => ReactNode): TableColumn<Row> => ({
  label: texts.records.state,
  place: 'state',
  cell,
});

interface MomentColumnOptions {
  place?: 'when' | 'detail';
  /** What stands where there is no such moment. */
  none?: string;
}

/** When something was of each row, such as its beginning. */
export const momentColumn = <Name extends string, Row extends Record<Name, Date | null>>(
  name: Name,
  label: string,
  { place = 'when', none = texts.common.never }: MomentColumnOptions = {},
): TableColumn<Row> => ({
  label,
  place,
  cell: ({ [name]: moment }) => (moment ? <Moment at={moment} /> : none),
});
