import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty.module.css';
import type { Icon } from './icons.ts';

/** What stands where nothing is yet: what it would be, and how to begin. */
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
  /** Whether it stands for a whole screen, and so has its heading. */
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
