import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  label: string;
  cell(row: Row): ReactNode;
  /** Left out where there is little room. */
  isDetail?: boolean;
  align?: 'end';
}

interface DataTableProps<Row> {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
}

/** Things as rows, the first column naming each. */
export function DataTable<Row extends { id: string }>({ label, rows, columns }: DataTableProps<Row>) {
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} data-detail={column.isDetail} data-align={column.align} scope="col">
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map((column) => (
                <td key={column.label} data-detail={column.isDetail} data-align={column.align}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The first line of a cell, and a quieter second one. */
export const TwoLines = ({ first, second }: { first: ReactNode; second: ReactNode }) => (
  <div className={classes.two}>
    <div className={classes.first}>{first}</div>
    <Text fz={12.5} c="dimmed" truncate component="div">
      {second}
    </Text>
  </div>
);
