import { Anchor, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './sign-in.module.css';

interface SessionCardProps {
  title: string;
  lead: string;
  children: ReactNode;
  /** Link below the card to an alternative. */
  instead?: { label: string; go(): void };
}

/** Page for signed-out users, with a single form. */
export function SessionCard({ title, lead, children, instead }: SessionCardProps) {
  return (
    <Center component="main" mih="100dvh" p="md" className={classes.page}>
      <Stack w={380} maw="100%" gap="xl">
        <Stack gap={6} align="center">
          <span className={classes.mark}>
            <IconPencil size={24} stroke={1.8} aria-hidden />
          </span>
          <Title order={1} fz={24} mt="sm" ta="center">
            {title}
          </Title>
          <Text c="dimmed" ta="center">
            {lead}
          </Text>
        </Stack>
        <Paper p={{ base: 'lg', xs: 28 }} className={classes.card}>
          {children}
        </Paper>
        {instead && (
          <Anchor component="button" type="button" fz="sm" ta="center" onClick={instead.go}>
            {instead.label}
          </Anchor>
        )}
      </Stack>
    </Center>
  );
}
