import { Text, Title } from '@mantine/core';
import { texts } from '../texts/texts.ts';
import classes from './overview.module.css';

interface RankingProps {
  title: string;
  rows: readonly { label: string; views: number }[];
}

/** What was viewed most, each with a bar as long as its share of the first. */
export function Ranking({ title, rows }: RankingProps) {
  const highest = rows[0]?.views ?? 1;
  return (
    <section aria-label={title}>
      <Title order={2} fz={14} mb="sm">
        {title}
      </Title>
      {rows.length === 0 && (
        <Text fz="sm" c="dimmed">
          {texts.overview.nothing}
        </Text>
      )}
      <ol className={classes.ranking}>
        {rows.map(({ label, views }) => (
          <li key={label}>
            <span className={classes.bar} style={{ width: `${(views / highest) * 100}%` }} />
            <span className={classes.label}>{label}</span>
            <span className={classes.count}>{views.toLocaleString()}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
