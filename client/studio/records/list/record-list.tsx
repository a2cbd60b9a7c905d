import { Button, Group } from '@mantine/core';
import { useMap } from '@mantine/hooks';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';
import type { Resource } from '../../../../shared/contract/resource.ts';
import { useApi } from '../../data/api.tsx';
import { useRights } from '../../data/permissions.ts';
import { shapeOf, singularOf } from '../../data/record-shape.ts';
import { findResource, newId, type OwnRecord, recordsOf } from '../../data/records.ts';
import { capitalised } from '../../strings/names.ts';
import { strings } from '../../strings/ui-strings.ts';
import { iconOf } from '../../ui/collection-icon.ts';
import { lastPageOf } from '../../ui/pager.tsx';
import { Empty, NotFound } from '../../ui/pending.tsx';
import { Screen } from '../../ui/screen.tsx';
import { useTimeFormat } from '../../ui/time.tsx';
import { BulkBar } from './bulk-bar.tsx';
import {
  filteredFields,
  type ListSearch,
  listInput,
  pageInput,
  readListSearch,
  rowsPerPage,
  sortsOf,
} from './list-search.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { NoMatch, PagedList } from './paged-list.tsx';
import { nameOf, recordColumns, timeOf } from './record-columns.tsx';
import { useListAddress, useListPage } from './use-list-page.ts';
import { useRowKeys } from './use-row-keys.ts';

export function ListPage() {
  const { collection } = useParams({ from: '/$collection' });
  const resource = findResource(collection);
  return resource ? <RecordList key={collection} resource={resource} /> : <NotFound />;
}

/** List of a collection's records that match the address. */
function RecordList({ resource }: { resource: Resource }) {
  const { collection, labels } = resource;
  const { mayPublish } = useRights(resource);
  const shape = useMemo(() => shapeOf(resource), [resource]);
  const filters = useMemo(() => filteredFields(resource), [resource]);
  const { search, change } = useListAddress();
  const listSearch = readListSearch(resource, filters, search, useTimeFormat());
  const { sort } = listSearch;
  const list = useRecordPage(resource, listSearch);
  const choosing = useChosen();
  const searchRef = useRef<HTMLInputElement>(null);
  const rows = useKeysOverPages(list, choosing, searchRef);
  const columns = useMemo(() => recordColumns(resource, shape, timeOf(sort)), [resource, shape, sort]);
  const sorting = { sort, sorts: sortsOf(resource), onSort: (next: string) => change({ sort: next }) };
  const create = <Create resource={resource} />;
  const empty = <EmptyList {...{ resource, listSearch, create }} />;
  return (
    <Screen title={capitalised(collection)} lead={labels.lead} actions={<Actions resource={resource} />}>
      <ListToolbar {...{ resource, filters, listSearch, searchRef }} onLeave={() => rows.focusRow('first')} />
      <PagedList
        {...{ list, columns, sorting, empty }}
        label={capitalised(collection)}
        noMatch={empty}
        choosing={mayPublish ? { ...choosing, nameOf: (record) => nameOf(shape, record) } : undefined}
        tableRef={rows.table}
      />
      <BulkBar resource={resource} records={[...choosing.chosen.values()]} onDone={choosing.clear} />
    </Screen>
  );
}

function useRecordPage(resource: Resource, listSearch: ListSearch) {
  const records = recordsOf(useApi(), resource);
  const input = listInput(resource, listSearch);
  return useListPage((page) => ({
    queryKey: ['records', resource.collection, 'list', input, page],
    queryFn: ({ signal }) => records.list.query(pageInput(input, page), { signal }),
  }));
}

/** Returns keyboard navigation over pages: a step beyond the last row loads the next page and focuses its first row. */
function useKeysOverPages(
  list: ReturnType<typeof useRecordPage>,
  choosing: ReturnType<typeof useChosen>,
  searchRef: RefObject<HTMLInputElement | null>,
) {
  const { page, goTo } = useListAddress();
  const { items = [], total = 0 } = list.data ?? {};
  const wanted = useRef<'first' | 'last' | null>(null);
  const rows = useRowKeys({
    searchRef,
    onToggle: (id) => items.filter((record) => record.id === id).forEach(choosing.toggle),
    onClear: choosing.clear,
    onBeyond: (direction) => {
      const next = page + direction;
      if (next < 1 || next > lastPageOf(total, rowsPerPage)) return;
      wanted.current = direction > 0 ? 'first' : 'last';
      goTo(next);
    },
  });
  useEffect(() => {
    if (!wanted.current || list.isPlaceholderData) return;
    rows.focusRow(wanted.current);
    wanted.current = null;
  }, [list.data, list.isPlaceholderData]);
  return rows;
}

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
        {strings.trash.title}
      </Button>
      <Create resource={resource} />
    </Group>
  );
}

function Create({ resource }: { resource: Resource }) {
  const { mayCreate } = useRights(resource);
  if (!mayCreate) return null;
  return (
    <Button component={Link} to={`/${resource.collection}/${newId}`} leftSection={<IconPlus size={16} />}>
      {strings.records.new(singularOf(resource))}
    </Button>
  );
}

interface EmptyListProps {
  resource: Resource;
  listSearch: ListSearch;
  create: ReactNode;
}

/** Message of an empty list, with a button that creates a record or clears the filters. */
function EmptyList({ resource: { collection, labels }, listSearch, create }: EmptyListProps) {
  const { state, filter, isFiltered } = listSearch;
  const icon = iconOf(collection);
  if (!isFiltered) {
    return <Empty icon={icon} title={strings.records.none(collection)} lead={labels.begin} action={create} />;
  }
  const stateNames = ['is_draft', 'publish_at_from', 'visibility'];
  const isStateAlone = Object.keys(filter).every((parameter) => stateNames.includes(parameter));
  const { noneIn, noneInLead } = strings.lists;
  return state && isStateAlone ? (
    <NoMatch icon={icon} title={noneIn[state]} lead={noneInLead[state]} />
  ) : (
    <NoMatch />
  );
}

/** Returns the selected records, which stay selected on other pages. */
function useChosen() {
  const chosen = useMap<string, OwnRecord>();
  return {
    chosen,
    toggle: (record: OwnRecord) => {
      if (!chosen.delete(record.id)) chosen.set(record.id, record);
    },
    /** Selects all of these records, or none of them if all are selected. */
    toggleAll: (records: readonly OwnRecord[]) => {
      const all = records.every(({ id }) => chosen.has(id));
      for (const record of records) {
        if (all) chosen.delete(record.id);
        else chosen.set(record.id, record);
      }
    },
    clear: () => chosen.clear(),
  };
}
