import { Button, Group } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import type { Resource } from '../../../shared/contract/resource.ts';
import { useApi } from '../data/api.tsx';
import { pageOfRecords, recordsPerPage } from '../data/records.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { Failed } from '../ui/failed.tsx';
import { IconPlus, IconTrash } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { lastPageOf, Pager } from '../ui/pager.tsx';
import { Screen } from '../ui/screen.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { EmptyList } from './empty-list.tsx';
import { filteredFields } from './list-filters.ts';
import { readListSearch, useListAddress } from './list-search.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { newId } from './new-id.ts';
import { RecordTable } from './record-table.tsx';
import { type Shape, shapeOf } from './shape.ts';
import { useChosen } from './use-chosen.ts';
import { useRowKeys } from './use-row-keys.ts';

/** A collection's records: those that the address asks for. */
export function RecordList({ resource }: { resource: Resource }) {
  const { collection, description } = resource;
  const shape = useMemo(() => shapeOf(resource), [resource]);
  const filters = useMemo(() => filteredFields(resource), [resource]);
  const address = useListAddress(resource);
  const asked = readListSearch(resource, filters, address.search);
  const { page, sort, narrowing } = asked;
  const list = useListedPage(resource, { page, sort, fields: shownNames(shape), ...narrowing });
  const { items = [], total = 0 } = list.data ?? {};
  const goTo = (next: number) => address.change({ page: next === 1 ? undefined : String(next) });

  const choosing = useChosen();
  const searchRef = useRef<HTMLInputElement>(null);
  const wanted = useRef<'first' | 'last' | null>(null);
  const rows = useRowKeys({
    searchRef,
    onToggle: (id) => items.filter((record) => record.id === id).forEach(choosing.toggle),
    onClear: choosing.clear,
    onBeyond: (direction) => {
      const next = page + direction;
      if (next < 1 || next > lastPageOf(total, recordsPerPage)) return;
      wanted.current = direction > 0 ? 'first' : 'last';
      goTo(next);
    },
  });
  // Keys that went beyond the last row go on with the first one of the next page, once it is there.
  useEffect(() => {
    if (!wanted.current || list.isPlaceholderData) return;
    rows.focusRow(wanted.current);
    wanted.current = null;
  }, [list.data, list.isPlaceholderData]);

  return (
    <Screen title={capitalised(collection)} lead={description} actions={<Actions resource={resource} />}>
      <ListToolbar
        {...{ resource, filters, asked, address, searchRef }}
        onLeave={() => rows.focusRow('first')}
      />
      {list.error && <Failed error={list.error} onRetry={list.refetch} />}
      {list.isPending && <ListSkeleton />}
      {list.data && total === 0 && (
        <EmptyList
          resource={resource}
          asked={asked}
          create={<Create resource={resource} />}
          onClear={address.clear}
        />
      )}
      {items.length > 0 && (
        <RecordTable
          {...{ resource, shape, sort, choosing }}
          records={items}
          onSort={(next) => address.change({ sort: next })}
          tableRef={rows.table}
          isStale={list.isPlaceholderData}
        />
      )}
      {list.data && (
        <Pager {...{ page, total }} perPage={recordsPerPage} isStale={list.isPlaceholderData} onPage={goTo} />
      )}
      <BulkBar {...{ resource, shape }} records={[...choosing.chosen.values()]} onDone={choosing.clear} />
    </Screen>
  );
}

/** One page, with the next one fetched before it is asked for. */
function useListedPage(resource: Resource, asked: Parameters<typeof pageOfRecords>[2]) {
  const api = useApi();
  const queries = useQueryClient();
  const list = useQuery({ ...pageOfRecords(api, resource, asked), placeholderData: keepPreviousData });
  const hasNext = list.data && !list.isPlaceholderData && asked.page * recordsPerPage < list.data.total;
  useEffect(() => {
    if (hasNext) void queries.prefetchQuery(pageOfRecords(api, resource, { ...asked, page: asked.page + 1 }));
  }, [hasNext, asked.page]);
  return list;
}

/** What rows are made of, so that long texts stay where they are. */
const shownNames = ({ title, columns, hasDrafts }: Shape) => [
  'id',
  title,
  ...columns.map(([name]) => name),
  'visibility',
  ...(hasDrafts ? ['is_draft', 'publish_at'] : []),
  'created',
  'updated',
];

function Actions({ resource }: { resource: Resource }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        renderRoot={(props) => <Link to="/trash" search={{ collection: resource.collection }} {...props} />}
        variant="subtle"
        color="gray"
        c="dimmed"
        fw={500}
        leftSection={<IconTrash size={15} />}
        visibleFrom="sm"
      >
        {texts.trash.title}
      </Button>
      <Create resource={resource} />
    </Group>
  );
}

const Create = ({ resource: { collection, name } }: { resource: Resource }) => (
  <Button component={Link} to={`/${collection}/${newId}`} leftSection={<IconPlus size={16} />}>
    {texts.records.new(name)}
  </Button>
);
