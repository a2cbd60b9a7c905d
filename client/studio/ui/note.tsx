import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Explanatory text; with `role="status"`, changes are announced. */
export const Note = ({ role, children }: { role?: 'status'; children: ReactNode }) => (
  <Text fz="sm" c="dimmed" role={role}>
    {children}
  </Text>
);

/** Error message of a failed action; nothing if there is none. */
export const Problem = ({ children }: { children: ReactNode }) =>
  children && (
    <Alert color="red" variant="light" role="alert">
      {children}
    </Alert>
  );
