import { texts } from '../../texts/texts.ts';
import { type OwnAnalytics, rankings, rankingsOf } from './rankings.ts';

const { day, views, visitors, kinds } = texts.analytics;

/** Spreadsheets take a cell for a formula that begins so; visitors choose what campaigns are called. */
const cell = (value: string | number) =>
  `"${String(value)
    .replace(/^[=+\-@\t\r]/, "'$&")
    .replaceAll('"', '""')}"`;

/** What is shown, a row for each day, page, source and campaign. */
function csvOf(analytics: OwnAnalytics): string {
  const ranked = rankingsOf(analytics);
  const rows = [
    ['', '', views, visitors],
    ...analytics.views_over_time.map((of) => [day, of.date, of.views, of.visitors]),
    ...rankings.flatMap((kind) =>
      (ranked[kind] ?? []).map(({ label, views: count }) => [kinds[kind].one, label, count, '']),
    ),
  ];
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

export function saveCsv(analytics: OwnAnalytics) {
  // By the mark, spreadsheets know that it is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', csvOf(analytics)], { type: 'text/csv' }));
  const download = `views-${analytics.from}-${analytics.to}.csv`;
  Object.assign(document.createElement('a'), { href: url, download }).click();
  URL.revokeObjectURL(url);
}
