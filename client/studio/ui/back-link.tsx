import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { IconChevronLeft } from './icons.ts';

/** The way to the screen that this one belongs to. */
export const BackLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Button
    component={Link}
    to={to}
    variant="subtle"
    color="gray"
    size="compact-sm"
    leftSection={<IconChevronLeft size={15} />}
    ml={-10}
    maw="100%"
    fw={500}
    c="dimmed"
  >
    {children}
  </Button>
);
