import { briefly, inFull } from '../texts/moments.ts';
import type { Column } from './data-table.tsx';

type Dated = { created: Date };

/** When each row came to be. */
export const createdColumn = <Row extends Dated>(
  label: string,
  place: Pick<Column<Row>, 'align' | 'isDetail'> = {},
): Column<Row> => ({
  label,
  ...place,
  cell: ({ created }) => (
    <time dateTime={created.toISOString()} title={inFull(created)}>
      {briefly(created)}
    </time>
  ),
});
