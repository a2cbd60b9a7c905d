/** The first screen. */
export const overview = {
  overview: {
    title: 'Overview',
    period: 'Period',
    periods: { '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    views: 'Views',
    visitors: 'Visitors',
    members: 'Members',
    newMembers: (count: number) => `${count} new in 30 days`,
    growth: (weeks: number, from: number, to: number) =>
      `Members over the last ${weeks} weeks: from ${from} to ${to}`,
    week: 'Until',
    subscribers: 'Subscribers',
    glance: 'At a glance',
    draftsOf: (collection: string) => `Drafts of ${collection}`,
    chart: 'Chart',
    table: 'Table',
    shownAs: 'Shown as',
    overTime: 'Views and visitors over time',
    day: 'Day',
    pages: 'Most read pages',
    referrers: 'Where visitors came from',
    campaigns: 'Campaigns',
    nothing: 'Nothing yet',
    latest: 'Latest changes',
    latestNone: 'What you write shows up here.',
    failing: (count: number) =>
      count === 1 ? 'One webhook needs your attention' : `${count} webhooks need your attention`,
    noAnalytics: 'Your plan doesn’t include analytics.',
  },
} as const;
