import { Button } from '@mantine/core';
import { texts } from '../texts/texts.ts';

interface LoadMoreProps {
  /** A list that is fetched page by page. */
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
}

/** Fetches the next page; nothing where there is none. */
export function LoadMore({ pages }: LoadMoreProps) {
  if (!pages.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={pages.isFetchingNextPage}
      onClick={() => pages.fetchNextPage()}
    >
      {texts.common.loadMore}
    </Button>
  );
}
