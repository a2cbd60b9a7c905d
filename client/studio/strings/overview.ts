/** UI strings of the first screen. */
export const overview = {
  overview: {
    title: 'Overview',
    visits: 'Visits in the last 30 days',
    views: 'views',
    visitors: 'visitors',
    subscribers: 'subscribers',
    membersOf: (recent: number) => (recent > 0 ? `members, ${recent} new in 30 days` : 'members'),
    newcomers: 'New people',
    lastPost: 'Your last post',
    lastNewsletter: 'Your last newsletter',
    noPost: 'After you publish a post, its views appear here.',
    viewsIn: { '7d': 'views in 7 days', '30d': 'views in 30 days', '90d': 'views in 90 days' },
    publishedAt: (when: string) => `Published ${when}`,
    waiting: 'To do',
    nothingWaits: 'Nothing to do. Drafts and new testimonials appear here.',
    unheard: (count: number) => (count === 1 ? '1 testimonial to review' : `${count} testimonials to review`),
    paused: (count: number) => (count === 1 ? '1 newsletter paused' : `${count} newsletters paused`),
    steps: {
      title: 'Set up your site in four steps',
      lead: (done: number) => (done === 0 ? 'In any order. Each takes a few minutes.' : `${done} of 4 done.`),
      done: 'Done',
      bring: 'Or import existing content',
      names: {
        profile: { title: 'Introduce yourself', lead: 'Your name, a headline and what you do.' },
        look: { title: 'Choose a design', lead: 'Color, fonts and sections.' },
        post: { title: 'Publish your first post', lead: 'Why this site? Ten sentences will do.' },
        work: { title: 'Show your work', lead: 'A job, a project or a talk.' },
      },
    },
    failing: (count: number) =>
      count === 1 ? '1 webhook needs attention' : `${count} webhooks need attention`,
  },
} as const;
