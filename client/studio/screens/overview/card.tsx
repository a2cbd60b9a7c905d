import { Text, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SearchParams } from '../../data/search-params.ts';
import classes from './overview.module.css';

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

interface WaitingRowProps {
  to: string;
  search?: SearchParams;
  icon: Icon;
  label: string;
  aside?: string;
}

/** Row of a card's list, with a link. */
export const WaitingRow = ({ to, search = {}, icon: RowIcon, label, aside }: WaitingRowProps) => (
  <li>
    <Link {...{ to, search }}>
      <RowIcon size={16} stroke={1.7} aria-hidden />
      <span className={classes.label}>{label}</span>
      {aside && <span className={classes.count}>{aside}</span>}
    </Link>
  </li>
);
