import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { strings } from '../strings/ui-strings.ts';
import { Note } from './note.tsx';
import classes from './screen.module.css';

interface ScreenProps {
  title: string;
  /** Line below the title. */
  lead?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Link to the parent screen. */
  back?: ReactNode;
  /** Limits the width, for forms and texts. */
  narrow?: boolean;
  children: ReactNode;
}

/** A screen with heading, actions and content. */
export function Screen({ title, lead, actions, back, narrow = false, children }: ScreenProps) {
  useDocumentTitle(`${title} · ${strings.product}`);
  return (
    <Stack className={classes.screen} data-narrow={narrow} gap="lg">
      <Group justify="space-between" className={classes.head}>
        <div className={classes.heading}>
          {back}
          <Title order={1} fz={22} lh={1.3}>
            {title}
          </Title>
        </div>
        {actions && (
          <Group className={classes.actions} gap="xs" wrap="nowrap">
            {actions}
          </Group>
        )}
        {lead && (
          <Text c="dimmed" fz="sm" w="100%">
            {lead}
          </Text>
        )}
      </Group>
      {children}
    </Stack>
  );
}

interface SectionProps {
  title: string;
  /** Line below the title. */
  lead?: string | false;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Part of a screen with its own heading. */
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

/** Link to the parent screen. */
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
