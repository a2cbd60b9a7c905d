import { Button } from '@mantine/core';
import { type Icon, IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { codeOf } from '../../strings/errors.ts';
import { strings } from '../../strings/ui-strings.ts';
import { DataTable, type DataTableProps } from '../../ui/data-table.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Empty, Pending } from '../../ui/pending.tsx';
import { rowsPerPage } from './list-search.ts';
import { type ListPage, useListAddress } from './use-list-page.ts';

type Table<Row> = Omit<DataTableProps<Row>, 'rows' | 'isList' | 'isStale'>;

interface PagedListProps<Row> extends Table<Row> {
  list: ListPage<Row>;
  /** Content to show if the list has no rows and no filter is set. */
  empty: ReactNode;
  /** Content to show if a filter is set and no row matches it. */
  noMatch?: ReactNode;
}

/** One page of a list with its pager. */
export function PagedList<Row extends { id: string }>({
  list,
  empty,
  noMatch,
  ...table
}: PagedListProps<Row>) {
  const { page, goTo, isFiltered } = useListAddress();
  // A lowered role may no longer open the list, so do not show rows that were read before.
  const isClosed = codeOf(list.error) === 'insufficient_role';
  if (!list.data || isClosed) return <Pending query={list} />;
  const { items, total } = list.data;
  const isStale = list.isPlaceholderData;
  return (
    <>
      {total === 0 && (isFiltered ? (noMatch ?? <NoMatch />) : <div data-nothing>{empty}</div>)}
      {items.length > 0 && <DataTable {...table} isList rows={items} isStale={isStale} />}
      <Pager {...{ page, total, isStale }} perPage={rowsPerPage} onPage={goTo} />
    </>
  );
}

/** Message that no row matches, with a button that clears the filters. */
export function NoMatch({
  icon = IconSearch,
  title = strings.lists.noMatch,
  lead = strings.lists.noMatchLead,
}: {
  icon?: Icon;
  title?: string;
  lead?: string;
}) {
  const { clear } = useListAddress();
  const showAll = (
    <Button variant="default" onClick={clear}>
      {strings.lists.showAll}
    </Button>
  );
  return <Empty {...{ icon, title, lead }} action={showAll} />;
}
