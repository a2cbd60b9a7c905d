import type { Field } from '../../../../shared/contract/fields.ts';
import type { Sort } from '../../../../shared/contract/pagination.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import type { OwnRecord } from '../../data/records.ts';
import { type Shape, titleOf } from '../../data/shape.ts';
import { partialDay } from '../../strings/moments.ts';
import { labelOf } from '../../strings/names.ts';
import { texts } from '../../strings/texts.ts';
import { RowLink, stateColumn } from '../../ui/columns.tsx';
import type { TableColumn } from '../../ui/data-table.tsx';
import { Moment } from '../../ui/moment.tsx';
import { StateBadge } from '../state-badge.tsx';

export const nameOf = (shape: Shape, record: OwnRecord) => titleOf(shape, record) || texts.records.untitled;

/** What a list shows of records: it follows from the resource's fields, and `moment` from the order of the list. */
export const recordColumns = (
  { collection, fields }: Resource,
  shape: Shape,
  moment: ListMoment,
): TableColumn<OwnRecord>[] => [
  {
    label: labelOf(shape.title, fields[shape.title]),
    sortBy: shape.title,
    cell: (record) => (
      <RowLink to={`/${collection}/${record.id}`} data-row={record.id}>
        {nameOf(shape, record)}
      </RowLink>
    ),
  },
  ...shape.columns.map(
    ([name, field]): TableColumn<OwnRecord> => ({
      label: labelOf(name, field),
      sortBy: name,
      place: 'detail',
      cell: ({ [name]: value }) => (value instanceof Date ? <Moment at={value} /> : shownValue(value, field)),
    }),
  ),
  stateColumn((record) => <StateBadge isBrief record={record} hasDrafts={shape.hasDrafts} />),
  {
    label: momentLabels[moment] ?? labelOf(moment, fields[moment]),
    sortBy: moment,
    place: 'when',
    // What was never published stands where it was created.
    cell: ({ [moment]: at, created }) => <Moment at={at instanceof Date ? at : created} />,
  },
];

/** What lists can be put into the order of. */
type ListMoment = 'created' | 'updated' | 'published_at';

const momentLabels: Partial<Record<ListMoment, string>> = {
  created: texts.lists.created,
  updated: texts.records.changed,
};

/** The moment that a list in this order is about. */
export const momentOf = (sort: Sort): ListMoment => {
  const by = sort.replace('-', '');
  return by === 'created' || by === 'published_at' ? by : 'updated';
};

/** Text of a field's value in lists; empty when it isn't set. Times are shown by `Moment`. */
export function shownValue(value: unknown, { kind, choices }: Field): string {
  if (Array.isArray(value)) return value.join(', ');
  if (kind === 'money' && typeof value === 'number') return value.toFixed(2);
  if (value === null || value === undefined) return '';
  if (kind === 'partial_date') return partialDay(String(value));
  return choices?.[String(value)] ?? String(value);
}
