import type { TableColumn } from './data-table.tsx';
import { Moment } from './moment.tsx';

/** When something was of each row, such as its beginning. */
export const momentColumn = <Name extends string, Row extends Record<Name, Date>>(
  name: Name,
  label: string,
): TableColumn<Row> => ({
  label,
  place: 'when',
  cell: ({ [name]: moment }) => <Moment at={moment} />,
});
