import { Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type Icon, IconCloudOff, IconMapQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { codeOf, messageFor } from '../strings/errors.ts';
import { strings } from '../strings/ui-strings.ts';
import classes from './empty.module.css';

/** Message of an empty screen or list, with an action that starts it. */
export function Empty({
  icon: EmptyIcon,
  title,
  lead,
  action,
  isPage = false,
}: {
  icon: Icon;
  title: string;
  lead?: ReactNode;
  action?: ReactNode;
  /** True if the content fills a screen and needs a page heading. */
  isPage?: boolean;
}) {
  return (
    <Stack align="center" gap="xs" py={72} px="md">
      <span className={classes.icon}>
        <EmptyIcon size={24} stroke={1.5} aria-hidden />
      </span>
      <Title order={isPage ? 1 : 2} fz={16} mt="xs" ta="center">
        {title}
      </Title>
      {lead && (
        <Text c="dimmed" fz="sm" ta="center" maw={420}>
          {lead}
        </Text>
      )}
      {action && <div className={classes.action}>{action}</div>}
    </Stack>
  );
}

interface PendingProps {
  query: { error: unknown; refetch(): void };
  /** Placeholder while loading; by default a list. */
  skeleton?: ReactNode;
}

/** Placeholder while a query loads, or its error. */
export const Pending = ({ query: { error, refetch }, skeleton = <ListSkeleton /> }: PendingProps) =>
  error ? <Failed error={error} onRetry={refetch} /> : skeleton;

export const ListSkeleton = () => (
  <Stack gap={14} role="status" aria-label={strings.common.loading}>
    {['92%', '76%', '84%', '68%', '80%', '72%'].map((width) => (
      <Skeleton key={width} h={18} w={width} />
    ))}
  </Stack>
);

/** Error of a failed query, with a retry button. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (codeOf(error) === 'not_found') return <NotFound />;
  const retry = onRetry && <RetryButton onClick={onRetry} />;
  return (
    <Empty icon={IconCloudOff} title={strings.errors.failedToLoad} lead={messageFor(error)} action={retry} />
  );
}

export const RetryButton = (props: { loading?: boolean; onClick(): void }) => (
  <Button variant="default" {...props}>
    {strings.common.retry}
  </Button>
);

export const NotFound = () => (
  <Empty isPage icon={IconMapQuestion} title={strings.errors.notFound} lead={strings.errors.notFoundLead} />
);

/** Error of a screen that failed to render. */
export const Broken = ({ reset }: { reset(): void }) => (
  <div role="alert">
    <Empty
      isPage
      icon={IconCloudOff}
      title={strings.errors.broke}
      lead={strings.errors.brokeLead}
      action={<RetryButton onClick={reset} />}
    />
  </div>
);
