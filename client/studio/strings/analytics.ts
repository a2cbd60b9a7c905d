const change = new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'exceptZero' });

export const analytics = {
  analytics: {
    title: 'Analytics',
    lead: 'Counted without cookies: a visitor who returns on another day counts again. Days are in UTC.',
    period: 'Period',
    periods: { '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    from: 'From',
    to: 'To',
    views: 'Views',
    visitors: 'Visitors',
    viewsBefore: 'Previous views',
    sinceBefore: (now: number, before: number) =>
      `${change.format(now / before - 1)} compared with the previous period`,
    noneBefore: 'None in the previous period',
    overTime: 'Views and visitors over time',
    asTable: 'Show as table',
    asCsv: 'Download as CSV',
    day: 'Day (UTC)',
    kinds: {
      path: { title: 'Top pages', one: 'Page' },
      referrer: { title: 'Sources', one: 'Source' },
      campaign: { title: 'Campaigns', one: 'Campaign' },
    },
    everything: (label: string) => `Remove the filter ${label}`,
    nothing: 'No data yet',
    more: 'Pages, sources and campaigns',
    notIncluded: 'Your plan doesn’t include analytics.',
  },
} as const;
