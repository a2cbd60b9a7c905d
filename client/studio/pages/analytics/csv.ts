import { csvLine, csvMark } from '../../../../shared/contract/features/csv.ts';
import { texts } from '../../texts/texts.ts';
import { type OwnAnalytics, rankings, rankingsOf } from './rankings.ts';

const { day, views, visitors, kinds } = texts.analytics;

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
  return rows.map(csvLine).join('');
}

export function saveCsv(analytics: OwnAnalytics) {
  const url = URL.createObjectURL(new Blob([csvMark, csvOf(analytics)], { type: 'text/csv' }));
  const download = `views-${analytics.from}-${analytics.to}.csv`;
  Object.assign(document.createElement('a'), { href: url, download }).click();
  URL.revokeObjectURL(url);
}
