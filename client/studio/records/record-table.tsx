import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, type RefObject } from 'react';
import type { Sort } from '../../../shared/contract/pagination.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { OwnRecord } from '../data/records.ts';
import { briefly, inFull } from '../texts/moments.ts';
import { labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { sortsOf } from './list-search.ts';
import classes from './record-table.module.css';
import { type Shape, titleOf } from './shape.ts';
import { shownValue } from './shown-value.ts';
import { SortHeader } from './sort-header.tsx';
import { StateBadge } from './state-badge.tsx';
import type { Chosen } from './use-chosen.ts';

interface RecordTableProps {
  resource: Resource;
  shape: Shape;
  records: readonly OwnRecord[];
  sort: Sort;
  onSort(sort: Sort): void;
  choosing: Chosen;
  tableRef: RefObject<HTMLTableElement | null>;
  /** Whether other records are on their way. */
  isStale: boolean;
}

/** Records as rows. Their columns come from the resource's fields. */
export function RecordTable({ resource, shape, records, sort, choosing, ...rest }: RecordTableProps) {
  const { onSort, tableRef, isStale } = rest;
  const { chosen, toggle, toggleAll } = choosing;
  const here = records.filter(({ id }) => chosen.has(id)).length;
  const all = records.length > 0 && here === records.length;
  const moment = sort.endsWith('created') ? 'created' : 'updated';
  const sorting = { sort, sorts: sortsOf(resource), onSort };
  return (
    <table className={classes.table} ref={tableRef} data-stale={isStale} aria-busy={isStale}>
      <thead>
        <tr>
          <th className={classes.check}>
            <Checkbox
              size="xs"
              aria-label={texts.records.chooseAll}
              checked={all}
              indeterminate={!all && here > 0}
              onChange={() => toggleAll(records)}
            />
          </th>
          <SortHeader by={shape.title} label={labelOf(shape.title)} {...sorting} />
          {shape.columns.map(([name]) => (
            <SortHeader key={name} by={name} label={labelOf(name)} className={classes.detail} {...sorting} />
          ))}
          <th className={classes.state}>{texts.records.state}</th>
          <SortHeader by={moment} label={momentLabels[moment]} className={classes.when} {...sorting} />
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Row
            key={record.id}
            {...{ resource, shape, record, moment }}
            isChosen={chosen.has(record.id)}
            onToggle={toggle}
          />
        ))}
      </tbody>
    </table>
  );
}

const momentLabels = { created: texts.lists.created, updated: texts.records.changed };

interface RowProps {
  resource: Resource;
  shape: Shape;
  record: OwnRecord;
  moment: 'created' | 'updated';
  isChosen: boolean;
  onToggle(record: OwnRecord): void;
}

const Row = memo(
  ({ resource: { collection }, shape, record, moment, isChosen, onToggle }: RowProps) => {
    const title = titleOf(shape, record) || texts.records.untitled;
    return (
      <tr data-chosen={isChosen}>
        <td className={classes.check}>
          <Checkbox
            size="xs"
            aria-label={texts.records.choose(title)}
            checked={isChosen}
            onChange={() => onToggle(record)}
          />
        </td>
        <td className={classes.name}>
          <Link
            to="/$collection/$id"
            params={{ collection, id: record.id }}
            className={classes.link}
            data-row={record.id}
          >
            {title}
          </Link>
        </td>
        {shape.columns.map(([name, field]) => (
          <td key={name} className={classes.detail}>
            {shownValue(record[name], field.kind)}
          </td>
        ))}
        <td>
          <StateBadge isBrief record={record} hasDrafts={shape.hasDrafts} />
        </td>
        <td className={classes.when} title={inFull(record[moment])}>
          {briefly(record[moment])}
        </td>
      </tr>
    );
  },
  // Whoever toggles a row does the same at each rendering.
  (one, other) =>
    one.record === other.record && one.isChosen === other.isChosen && one.moment === other.moment,
);
