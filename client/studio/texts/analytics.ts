const change = new Intl.NumberFormat(undefined, { style: 'percent', signDisplay: 'exceptZero' });

/** Who visits the site. */
export const analytics = {
  analytics: {
    title: 'Analytics',
    lead: 'Counted without cookies: visitors who return on another day count again. Days are in UTC.',
    period: 'Period',
    periods: { '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    from: 'From',
    to: 'To',
    views: 'Views',
    visitors: 'Visitors',
    viewsBefore: 'Views before',
    sinceBefore: (now: number, before: number) => `${change.format(now / before - 1)} on the days before`,
    noneBefore: 'None in the days before',
    overTime: 'Views and visitors over time',
    asTable: 'As a table',
    asCsv: 'Download as CSV',
    day: 'Day (UTC)',
    kinds: {
      path: { title: 'Most read pages', one: 'Page' },
      referrer: { title: 'Where visitors came from', one: 'Source' },
      campaign: { title: 'Campaigns', one: 'Campaign' },
    },
    everything: (label: string) => `Show everything, not only ${label}`,
    nothing: 'Nothing yet',
    more: 'Pages, sources and campaigns',
    notIncluded: 'Your plan doesn’t include analytics.',
  },
} as const;
