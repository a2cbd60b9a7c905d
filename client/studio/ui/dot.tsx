import type { ReactNode } from 'react';
import classes from './dot.module.css';

/** State as a word with a colored dot. */
export const Dot = ({ tone, label }: { tone: 'good' | 'waiting' | 'bad' | 'off'; label: ReactNode }) => (
  <span className={classes.dot} data-tone={tone}>
    <span>{label}</span>
  </span>
);
