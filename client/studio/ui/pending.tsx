import { Button, Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { codeOf, wordsFor } from '../texts/errors.ts';
import { texts } from '../texts/texts.ts';
import { Empty } from './empty.tsx';
import { IconCloudOff, IconMapQuestion } from './icons.ts';

interface PendingProps {
  query: { error: unknown; refetch(): void };
  /** What it will look like, where that is no list. */
  skeleton?: ReactNode;
}

/** In place of what is not there yet: while it comes, or since it couldn't be loaded. */
export const Pending = ({ query: { error, refetch }, skeleton = <ListSkeleton /> }: PendingProps) =>
  error ? <Failed error={error} onRetry={refetch} /> : skeleton;

/** Where a list will be. */
export const ListSkeleton = () => (
  <Stack gap={14} role="status" aria-label={texts.common.loading}>
    {['92%', '76%', '84%', '68%', '80%', '72%'].map((width) => (
      <Skeleton key={width} h={18} w={width} />
    ))}
  </Stack>
);

/** In place of what couldn't be loaded. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (codeOf(error) === 'not_found') return <NotFound />;
  const retry = onRetry && (
    <Button variant="default" onClick={onRetry}>
      {texts.common.retry}
    </Button>
  );
  return (
    <Empty icon={IconCloudOff} title={texts.errors.failedToLoad} lead={wordsFor(error)} action={retry} />
  );
}

export const NotFound = () => (
  <Empty isPage icon={IconMapQuestion} title={texts.errors.notFound} lead={texts.errors.notFoundLead} />
);

/** In place of a screen that failed while it was drawn. */
export const Broken = ({ reset }: { reset(): void }) => (
  <div role="alert">
    <Empty
      isPage
      icon={IconCloudOff}
      title={texts.errors.broke}
      lead={texts.errors.brokeLead}
      action={
        <Button variant="default" onClick={reset}>
          {texts.common.retry}
        </Button>
      }
    />
  </div>
);
