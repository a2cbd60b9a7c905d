import { Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Query } from '../../sdk/index.ts';
import { texts } from '../texts/texts.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Empty } from '../ui/empty.tsx';
import { Failed } from '../ui/failed.tsx';
import type { Icon } from '../ui/icons.ts';
import { ListSkeleton } from '../ui/list-skeleton.tsx';
import { LoadMore } from '../ui/load-more.tsx';

interface Page<Row> {
  items: Row[];
  page: number;
  per_page: number;
  total: number;
}

export interface PagedListProps<Row> {
  /** What the list is called, and kept under. */
  name: string;
  label: string;
  list: Query<{ page?: number; per_page?: number } | undefined, Page<Row>>;
  columns: readonly Column<Row>[];
  empty: { icon: Icon; title: string; lead: string; action?: ReactNode };
}

/** A list of the service that has pages, the newest first. */
export function PagedList<Row extends { id: string }>({
  name,
  label,
  list,
  columns,
  empty,
}: PagedListProps<Row>) {
  const pages = useInfiniteQuery({
    queryKey: [name],
    queryFn: ({ pageParam, signal }) => list.query({ page: pageParam, per_page: 50 }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page, per_page, total }: Page<Row>) =>
      page * per_page < total ? page + 1 : undefined,
  });
  if (pages.error) return <Failed error={pages.error} onRetry={pages.refetch} />;
  if (!pages.data) return <ListSkeleton />;
  const rows = pages.data.pages.flatMap(({ items }) => items);
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
