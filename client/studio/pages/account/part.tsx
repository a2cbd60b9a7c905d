import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A part of the screen with a heading of its own. */
export const Part = ({ title, lead, children }: { title: string; lead: string; children: ReactNode }) => (
  <Stack gap="sm" component="section">
    <div>
      <Title order={2} fz={15}>
        {title}
      </Title>
      <Text c="dimmed" fz="sm">
        {lead}
      </Text>
    </div>
    {children}
  </Stack>
);
