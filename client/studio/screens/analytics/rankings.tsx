import { Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { byteOrderMark, csvLine } from '../../../../shared/contract/features/csv.ts';
import { keysOf } from '../../../../shared/contract/names-of.ts';
import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import type { SearchParams } from '../../data/search-params.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import classes from './analytics.module.css';

export type OwnAnalytics = OutputOf<ApiClient['studio']['analytics']['get']>;

/** Parameters in the address of a view filtered by each ranking. */
export const filters = {
  path: ['path'],
  referrer: ['referrer'],
  campaign: ['utm_campaign', 'utm_source', 'utm_medium'],
} as const;

/** Returns the most viewed pages, sources and campaigns. Rankings that the plan does not include are missing. */
export const rankingsOf = ({ popular_pages, top_referrers, utm }: OwnAnalytics) =>
  ({
    path: popular_pages.map(({ path, views }) => ({ label: path, views, only: { path } })),
    referrer: top_referrers?.map(({ referrer, views }) => ({ label: referrer, views, only: { referrer } })),
    campaign: utm?.map(({ source, medium, campaign, views }) => ({
      label: [campaign, source, medium].filter(Boolean).join(' · '),
      views,
      only: { utm_campaign: campaign, utm_source: source, utm_medium: medium },
    })),
  }) satisfies Record<keyof typeof filters, RankedLabel[] | undefined>;

export const rankings = keysOf(filters);

const { day, views, visitors, kinds } = strings.analytics;

/** Converts the shown numbers into CSV: one row per day, page, source and campaign. */
function csvOf(analytics: OwnAnalytics): string {
  const ranked = rankingsOf(analytics);
  const rows = [
    ['', '', views, visitors],
    ...analytics.views_over_time.map((of) => [day, of.date, of.views, of.visitors]),
    ...rankings.flatMap((kind) =>
      (ranked[kind] ?? []).map(({ label, views: count }) => [kinds[kind].one, label, count, '']),
    ),
  ];
  return rows.map(csvLine).join('');
}

export function saveCsv(analytics: OwnAnalytics) {
  const url = URL.createObjectURL(new Blob([byteOrderMark, csvOf(analytics)], { type: 'text/csv' }));
  const download = `views-${analytics.from}-${analytics.to}.csv`;
  Object.assign(document.createElement('a'), { href: url, download }).click();
  URL.revokeObjectURL(url);
}

interface RankedLabel {
  label: string;
  views: number;
  /** Parameters that show only these views. */
  only: SearchParams;
}

/** List of the items with most views, each with a bar relative to the first one, and a link that filters by it. */
export function Ranking({ title, rows }: { title: string; rows: readonly RankedLabel[] }) {
  const highest = rows[0]?.views ?? 1;
  return (
    <section aria-label={title}>
      <Title order={2} fz={14} mb="sm">
        {title}
      </Title>
      {rows.length === 0 && <Note>{strings.analytics.nothing}</Note>}
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
