/** The first screen. */
export const overview = {
  overview: {
    title: 'Overview',
    visits: 'Visits in the last 30 days',
    views: 'views',
    visitors: 'visitors',
    subscribers: 'subscribers',
    membersOf: (recent: number) => (recent > 0 ? `members, ${recent} new in 30 days` : 'members'),
    newcomers: 'Who is new',
    lastPost: 'Your last post',
    lastNewsletter: 'Your last newsletter',
    noPost: 'Once you publish one, you see here how many have read it.',
    viewsIn: { '7d': 'views in 7 days', '30d': 'views in 30 days', '90d': 'views in 90 days' },
    publishedAt: (when: string) => `Published ${when}`,
    waiting: 'What waits for you',
    nothingWaits: 'Nothing. Drafts, and what visitors say of you, wait here.',
    unheard: (count: number) => (count === 1 ? 'One testimonial to read' : `${count} testimonials to read`),
    paused: (count: number) =>
      count === 1 ? 'One newsletter stands still' : `${count} newsletters stand still`,
    steps: {
      title: 'Four steps to a site worth a visit',
      lead: (done: number) => (done === 0 ? 'In any order. Each takes some minutes.' : `${done} of 4 done.`),
      done: 'Done',
      bring: 'Or bring what you wrote elsewhere',
      names: {
        profile: { title: 'Say who you are', lead: 'A line below your name, and what you do.' },
        look: { title: 'Choose how it looks', lead: 'A colour, the letters, and what is shown.' },
        post: { title: 'Publish a first post', lead: 'Why this site? Ten sentences will do.' },
        work: { title: 'Show your work', lead: 'A job, a project or a talk.' },
      },
    },
    failing: (count: number) =>
      count === 1 ? 'One webhook needs your attention' : `${count} webhooks need your attention`,
  },
} as const;
