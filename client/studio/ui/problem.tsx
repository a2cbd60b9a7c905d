import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';

/** Why something could not be done, where it was tried; nothing where there is no reason. */
export const Problem = ({ children }: { children: ReactNode }) =>
  children && (
    <Alert color="red" variant="light" role="alert">
      {children}
    </Alert>
  );
