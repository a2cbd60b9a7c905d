import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './notes.tsx';

interface SectionProps {
  title: string;
  /** What is to be known of it. */
  lead?: string | false;
  /** Beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a screen with a heading of its own. */
export const Section = ({ title, lead, actions, children }: SectionProps) => (
  <Stack gap="sm" component="section" aria-label={title}>
    <Group justify="space-between">
      <div>
        <Title order={2} fz={15}>
          {title}
        </Title>
        {lead && <Note>{lead}</Note>}
      </div>
      {actions}
    </Group>
    {children}
  </Stack>
);
