import { Button, Group, Text } from '@mantine/core';
import { useEffect } from 'react';
import { strings } from '../strings/ui-strings.ts';

interface PagerProps {
  page: number;
  perPage: number;
  total: number;
  /** True while `total` belongs to the previous page or filter. */
  isStale: boolean;
  onPage(page: number): void;
}

export const lastPageOf = (total: number, perPage: number) => Math.max(1, Math.ceil(total / perPage));

/**
 * Position in a long list, with buttons for the previous and next page. If `page` is beyond the end, it goes to the last
 * page, so render it even if there are no rows.
 */
export function Pager({ page, perPage, total, isStale, onPage }: PagerProps) {
  const lastPage = lastPageOf(total, perPage);
  const isBeyond = page > lastPage;
  useEffect(() => {
    if (isBeyond && !isStale) onPage(lastPage);
  }, [isBeyond, isStale, lastPage]);
  const last = Math.min(page * perPage, total);
  if (isBeyond || total === 0) return null;
  return (
    <Group component="nav" justify="space-between" aria-label={strings.lists.pages}>
      <Text fz={13} c="dimmed" role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {strings.lists.range((page - 1) * perPage + 1, last, total)}
      </Text>
      {total > perPage && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
            {strings.lists.previous}
          </Button>
          <Button variant="default" size="xs" disabled={last === total} onClick={() => onPage(page + 1)}>
            {strings.lists.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}

interface LoadMoreProps {
  /** A list that is fetched page by page. */
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
}

/** Button that fetches the next page; nothing on the last one. */
export function LoadMore({ pages }: LoadMoreProps) {
  if (!pages.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={pages.isFetchingNextPage}
      onClick={() => pages.fetchNextPage()}
    >
      {strings.common.loadMore}
    </Button>
  );
}
