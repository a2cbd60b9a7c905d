import { Button, Group, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { iconOf } from '../app/navigation.ts';
import { useApi } from '../data/api.tsx';
import { findResource, type RecordStatus, recordList } from '../data/records.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { Empty } from '../ui/empty.tsx';
import { Failed } from '../ui/failed.tsx';
import { IconPlus } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { Screen } from '../ui/screen.tsx';
import { newId } from './new-id.ts';
import { RecordTable } from './record-table.tsx';
import { shapeOf } from './shape.ts';

/** The records of one collection. */
export function ListPage() {
  const { collection } = useParams({ from: '/$collection' });
  const resource = findResource(collection);
  return resource ? <RecordList key={collection} resource={resource} /> : <NotFound />;
}

function RecordList({ resource }: { resource: Resource }) {
  const { collection, name, description } = resource;
  const { status } = useSearch({ from: '/$collection' });
  const shape = useMemo(() => shapeOf(resource), [resource]);
  const list = useInfiniteQuery(recordList(useApi(), resource, status));
  const records = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  const create = (
    <Button
      component={Link}
      to={`/${collection}/${newId}`}
      leftSection={<IconPlus size={16} />}
      data-shortcut="create"
    >
      {texts.records.new(name)}
    </Button>
  );
  return (
    <Screen title={capitalised(collection)} lead={description} actions={create}>
      <Group justify="space-between" mih={34}>
        {shape.hasDrafts && <StatusTabs collection={collection} status={status} />}
      </Group>
      {list.error && <Failed error={list.error} onRetry={list.refetch} />}
      {list.isPending && <ListSkeleton />}
      {list.data && records.length === 0 && (
        <Empty
          icon={iconOf(collection)}
          title={status ? texts.records.noneOf[status] : texts.records.none(collection)}
          lead={status ? undefined : texts.records.noneLead(name)}
          action={status ? undefined : create}
        />
      )}
      {records.length > 0 && (
        <RecordTable resource={resource} shape={shape} records={records} total={total} list={list} />
      )}
    </Screen>
  );
}

const statuses = ['all', 'draft', 'published'] as const;

function StatusTabs({ collection, status }: { collection: string; status: RecordStatus | undefined }) {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.records.show}
      data={statuses.map((value) => ({ value, label: texts.records.statuses[value] }))}
      value={status ?? 'all'}
      onChange={(value) =>
        void navigate({
          to: '/$collection',
          params: { collection },
          search: value === 'draft' || value === 'published' ? { status: value } : {},
          replace: true,
        })
      }
    />
  );
}
