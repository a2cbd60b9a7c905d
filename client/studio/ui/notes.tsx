import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Quiet words that explain what is around them; with `role="status"`, told when they change. */
export const Note = ({ role, children }: { role?: 'status'; children: ReactNode }) => (
  <Text fz="sm" c="dimmed" role={role}>
    {children}
  </Text>
);

/** Why something could not be done, where it was tried; nothing where there is no reason. */
export const Problem = ({ children }: { children: ReactNode }) =>
  children && (
    <Alert color="red" variant="light" role="alert">
      {children}
    </Alert>
  );
