import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { texts } from '../../texts/texts.ts';
import classes from './connect.module.css';

/** A page without the studio around it, since nothing else is to be done here. */
export function Card({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useDocumentTitle(`${title} · ${texts.product}`);
  return (
    <Center component="main" mih="100dvh" p={{ base: 0, xs: 'md' }} className={classes.page}>
      <Paper w={560} maw="100%" p={{ base: 'lg', xs: 32 }} className={classes.card}>
        <Stack gap="lg">
          <div>
            <Title order={1} fz={22} lh={1.3} className={classes.words}>
              {title}
            </Title>
            {lead && (
              <Text c="dimmed" mt={4} role="status">
                {lead}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
