import { Skeleton, Stack } from '@mantine/core';
import { texts } from '../texts/texts.ts';

/** Where a list will be. */
export const ListSkeleton = () => (
  <Stack gap={14} role="status" aria-label={texts.common.loading}>
    {['92%', '76%', '84%', '68%', '80%', '72%'].map((width) => (
      <Skeleton key={width} h={18} w={width} />
    ))}
  </Stack>
);
