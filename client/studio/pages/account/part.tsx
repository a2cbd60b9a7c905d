import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from '../../ui/notes.tsx';

/** A part of the screen with a heading of its own. */
export const Part = ({ title, lead, children }: { title: string; lead: string; children: ReactNode }) => (
  <Stack gap="sm" component="section">
    <div>
      <Title order={2} fz={15}>
        {title}
      </Title>
      <Note>{lead}</Note>
    </div>
    {children}
  </Stack>
);
