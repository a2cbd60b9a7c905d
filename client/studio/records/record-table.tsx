import { Button, Center, Checkbox, Group, Text } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { OwnRecord } from '../data/records.ts';
import { briefly, inFull } from '../texts/moments.ts';
import { labelOf } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { BulkBar } from './bulk-bar.tsx';
import classes from './record-table.module.css';
import { type Shape, titleOf } from './shape.ts';
import { shownValue } from './shown-value.ts';
import { StateBadge } from './state-badge.tsx';
import { useRowKeys } from './use-row-keys.ts';

interface RecordTableProps {
  resource: Resource;
  shape: Shape;
  records: readonly OwnRecord[];
  /** On the service, of which `records` are those loaded. */
  total: number;
  list: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>;
}

/** Records as rows. Their columns come from the resource's fields. */
export function RecordTable({ resource, shape, records, total, list }: RecordTableProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setChosen((known) => {
      const next = new Set(known);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const chosenRecords = records.filter(({ id }) => chosen.has(id));
  const rows = useRowKeys({ onToggle: toggle });
  const all = chosenRecords.length === records.length;
  const chooseAll = () => setChosen(all ? new Set() : new Set(records.map(({ id }) => id)));
  return (
    <>
      <table className={classes.table} ref={rows}>
        <thead>
          <tr>
            <th className={classes.check}>
              <Checkbox
                size="xs"
                aria-label={texts.records.chooseAll}
                checked={all}
                indeterminate={!all && chosenRecords.length > 0}
                onChange={chooseAll}
              />
            </th>
            <th>{labelOf(shape.title)}</th>
            {shape.columns.map(([name]) => (
              <th key={name} className={classes.detail}>
                {labelOf(name)}
              </th>
            ))}
            <th className={classes.state}>{texts.records.state}</th>
            <th className={classes.when}>{texts.records.changed}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <Row
              key={record.id}
              {...{ resource, shape, record }}
              isChosen={chosen.has(record.id)}
              onToggle={() => toggle(record.id)}
            />
          ))}
        </tbody>
      </table>
      <Center>
        <Group gap="md">
          <Text fz="xs" c="dimmed">
            {texts.common.of(records.length, total)}
          </Text>
          {list.hasNextPage && (
            <Button
              variant="default"
              size="xs"
              loading={list.isFetchingNextPage}
              onClick={() => list.fetchNextPage()}
            >
              {texts.common.loadMore}
            </Button>
          )}
        </Group>
      </Center>
      <BulkBar {...{ resource, shape }} records={chosenRecords} onDone={() => setChosen(new Set())} />
    </>
  );
}

interface RowProps {
  resource: Resource;
  shape: Shape;
  record: OwnRecord;
  isChosen: boolean;
  onToggle(): void;
}

function Row({ resource: { collection }, shape, record, isChosen, onToggle }: RowProps) {
  const title = titleOf(shape, record) || texts.records.untitled;
  return (
    <tr data-chosen={isChosen}>
      <td className={classes.check}>
        <Checkbox size="xs" aria-label={texts.records.choose(title)} checked={isChosen} onChange={onToggle} />
      </td>
      <td className={classes.name}>
        <Link to="/$collection/$id" params={{ collection, id: record.id }} className={classes.link} data-row>
          {title}
        </Link>
      </td>
      {shape.columns.map(([name, field]) => (
        <td key={name} className={classes.detail}>
          {shownValue(record[name], field.kind)}
        </td>
      ))}
      <td>
        <StateBadge record={record} hasDrafts={shape.hasDrafts} />
      </td>
      <td className={classes.when} title={inFull(record.updated)}>
        {briefly(record.updated)}
      </td>
    </tr>
  );
}
