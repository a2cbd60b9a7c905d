import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Quiet words that explain what is around them; with `role="status"`, told when they change. */
export const Note = ({ role, children }: { role?: 'status'; children: ReactNode }) => (
  <Text fz="sm" c="dimmed" role={role}>
    {children}
  </Text>
);
