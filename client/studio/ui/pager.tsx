import { Button, Group, Text } from '@mantine/core';
import { texts } from '../texts/texts.ts';

interface PagerProps {
  page: number;
  perPage: number;
  total: number;
  onPage(page: number): void;
}

/** Which part of a long list is shown, and the way to the next and previous one. */
export function Pager({ page, perPage, total, onPage }: PagerProps) {
  const last = Math.min(page * perPage, total);
  return (
    <Group component="nav" justify="space-between" aria-label={texts.lists.pages}>
      <Text fz={13} c="dimmed" role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {texts.lists.range((page - 1) * perPage + 1, last, total)}
      </Text>
      {total > perPage && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
            {texts.lists.previous}
          </Button>
          <Button variant="default" size="xs" disabled={last === total} onClick={() => onPage(page + 1)}>
            {texts.lists.next}
          </Button>
        </Group>
      )}
    </Group>
  );
}
