import { Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Empty } from '../ui/empty.tsx';
import { Failed } from '../ui/failed.tsx';
import { type Icon, IconSearch } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { LoadMore } from '../ui/load-more.tsx';
import { useAsked } from './use-asked.ts';

interface Page<Row> {
  items: Row[];
  page: number;
  per_page: number;
  total: number;
}

type Paging = { page?: number; per_page?: number };

export interface PagedListProps<Row, Asked extends object = object> {
  /** What the list is called, and kept under. */
  name: string;
  label: string;
  list: { query(input: Paging & Partial<Asked>, options: { signal: AbortSignal }): Promise<Page<Row>> };
  /** What it is asked for besides. */
  asked: Asked;
  columns: readonly Column<Row>[];
  empty: { icon: Icon; title: string; lead: string; action?: ReactNode };
}

/** A list of the service that has pages, the newest first. */
export function PagedList<Row extends { id: string }, Asked extends object = object>({
  name,
  label,
  list,
  asked,
  columns,
  empty,
}: PagedListProps<Row, Asked>) {
  const { isNarrowed, clear } = useAsked();
  const pages = useInfiniteQuery({
    queryKey: [name, asked],
    queryFn: ({ pageParam, signal }) => list.query({ ...asked, page: pageParam, per_page: 50 }, { signal }),
    placeholderData: keepPreviousData,
    initialPageParam: 1,
    getNextPageParam: ({ page, per_page, total }: Page<Row>) =>
      page * per_page < total ? page + 1 : undefined,
  });
  if (pages.error && !pages.data) return <Failed error={pages.error} onRetry={pages.refetch} />;
  if (!pages.data) return <ListSkeleton />;
  const rows = pages.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0 && isNarrowed) return <NoMatch onClear={clear} />;
  if (rows.length === 0) return <Empty {...empty} />;
  return (
    <>
      <DataTable label={label} rows={rows} columns={columns} />
      <Group justify="center" gap="md">
        <Text fz="xs" c="dimmed">
          {texts.common.of(rows.length, pages.data.pages[0]?.total ?? rows.length)}
        </Text>
        <LoadMore pages={pages} />
      </Group>
    </>
  );
}

const NoMatch = ({ onClear }: { onClear(): void }) => (
  <Empty
    icon={IconSearch}
    title={texts.lists.noMatch}
    lead={texts.lists.noMatchLead}
    action={
      <Button variant="default" onClick={onClear}>
        {texts.lists.showAll}
      </Button>
    }
  />
);
