import { Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { SearchParams } from '../../data/search-params.ts';
import { texts } from '../../texts/texts.ts';
import { Note } from '../../ui/notes.tsx';
import classes from './analytics.module.css';

export interface Ranked {
  label: string;
  views: number;
  /** What the address says where only these views are shown. */
  only: SearchParams;
}

/** What was viewed most, each with a bar as long as its share of the first, and a link to its views alone. */
export function Ranking({ title, rows }: { title: string; rows: readonly Ranked[] }) {
  const highest = rows[0]?.views ?? 1;
  return (
    <section aria-label={title}>
      <Title order={2} fz={14} mb="sm">
        {title}
      </Title>
      {rows.length === 0 && <Note>{texts.analytics.nothing}</Note>}
      <ol className={classes.ranking}>
        {rows.map(({ label, views, only }) => (
          <li key={label}>
            <Link to="/analytics" search={(search) => ({ ...search, ...only })}>
              <span className={classes.bar} style={{ width: `${(views / highest) * 100}%` }} />
              <span className={classes.label}>{label}</span>
              <span className={classes.count}>{views.toLocaleString()}</span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}
