import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './overview.module.css';

/** The answer to one question. */
export const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className={classes.card}>
    <Title order={2} fz={13} fw={550} c="dimmed" mb={10}>
      {title}
    </Title>
    {children}
  </section>
);

export const Figure = ({ children, of }: { children: ReactNode; of: string }) => (
  <div className={classes.counted}>
    <span className={classes.figure}>{children}</span>
    <Text span fz={13} c="dimmed">
      {of}
    </Text>
  </div>
);
