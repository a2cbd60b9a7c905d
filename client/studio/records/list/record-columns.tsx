import type { Field } from '../../../../shared/contract/fields.ts';
import type { Sort } from '../../../../shared/contract/pagination.ts';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { type Shape, titleOf } from '../../data/record-shape.ts';
import type { OwnRecord } from '../../data/records.ts';
import { labelOf } from '../../strings/names.ts';
import { partialDay } from '../../strings/time-format.ts';
import { strings } from '../../strings/ui-strings.ts';
import { RowLink, stateColumn, type TableColumn } from '../../ui/data-table.tsx';
import { Time } from '../../ui/time.tsx';
import { StateBadge } from '../state-badge.tsx';

export const nameOf = (shape: Shape, record: OwnRecord) => titleOf(shape, record) || strings.records.untitled;

/**
 * Returns the columns of a list of records, derived from the resource's fields. `time` selects the time that the last
 * column shows.
 */
export const recordColumns = (
  { collection, fields }: Resource,
  shape: Shape,
  time: ListTime,
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
      column: 'detail',
      cell: ({ [name]: value }) => (value instanceof Date ? <Time at={value} /> : shownValue(value, field)),
    }),
  ),
  stateColumn((record) => <StateBadge isBrief record={record} hasDrafts={shape.hasDrafts} />),
  {
    label: timeLabels[time] ?? labelOf(time, fields[time]),
    sortBy: time,
    column: 'when',
    // Records that were never published are sorted by creation time.
    cell: ({ [time]: at, created }) => <Time at={at instanceof Date ? at : created} />,
  },
];

/** Times that a list can be sorted by. */
type ListTime = 'created' | 'updated' | 'published_at';

const timeLabels: Partial<Record<ListTime, string>> = {
  created: strings.lists.created,
  updated: strings.records.changed,
};

/** Returns the time column to show for a sort order. */
export const timeOf = (sort: Sort): ListTime => {
  const by = sort.replace('-', '');
  return by === 'created' || by === 'published_at' ? by : 'updated';
};

/** Returns a field's value as text for lists. Empty if it is not set. Columns show times by `Time` instead. */
export function shownValue(value: unknown, { kind, choices }: Field): string {
  if (Array.isArray(value)) return value.join(', ');
  if (kind === 'money' && typeof value === 'number') return value.toFixed(2);
  if (value === null || value === undefined) return '';
  if (kind === 'partial_date') return partialDay(String(value));
  return choices?.[String(value)] ?? String(value);
}
