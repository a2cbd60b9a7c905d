import { createHash } from 'node:crypto';
import { rawViewDays } from '../../../shared/contract/analytics.ts';
import { dayAfter, dayOf } from '../../../shared/db/page-views.ts';
import type { View } from '../../analytics/view.ts';

/** The most read first. */
const paths = [
  '/',
  '/posts/the-queue-that-forgot-tuesdays',
  '/posts/type-safe-apis',
  '/courses/postgresql-for-people-who-ship',
  '/posts/retry-like-you-mean-it',
  '/posts/a-field-guide-to-locks',
  '/about',
  '/posts/what-i-carry-on-the-boat',
  '/courses/webhooks-properly',
  '/posts/the-kindest-error-message-i-know',
  '/talks',
  '/projects/lantern',
  '/posts/reading-a-query-plan-over-coffee',
];

const referrers = [
  '',
  'news.example.com',
  '',
  'search.example.com',
  'social.example.com',
  'pg-weekly.example.com',
];

const campaigns = [
  { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'schema-design' },
  { utm_source: 'backend-days', utm_medium: 'talk', utm_campaign: '' },
];
const noCampaign = { utm_source: '', utm_medium: '', utm_campaign: '' };

/** Views of the 90 days up to today: slowly more of them, fewer at weekends, and many on the day of a good post. */
export function exampleViews(siteId: string, now: Date): View[] {
  const today = dayOf(now);
  const days = Array.from({ length: rawViewDays }, (_, daysAgo) => dayAfter(today, -daysAgo));
  return days.flatMap((day, daysAgo) =>
    Array.from({ length: viewsOf(day, daysAgo) }, (_, n) => exampleView(siteId, day, n)),
  );
}

function viewsOf(day: string, daysAgo: number): number {
  const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
  const usual = (rawViewDays - daysAgo) / 3 + 20;
  return Math.round(usual * (isWeekend ? 0.6 : 1) * (daysAgo === 1 ? 3 : 1));
}

/** The same for the same day and number, but without a pattern that one could see. */
function exampleView(siteId: string, day: string, n: number): View {
  const dice = createHash('sha256').update(`${day} ${n}`).digest();
  const die = (place: number) => dice.readUInt32BE(place * 4) / 2 ** 32;
  const pick = <T>(from: readonly T[], chance: number) => from[Math.floor(chance * from.length)];
  return {
    site_id: siteId,
    day,
    path: pick(paths, die(0) ** 2) ?? '/',
    referrer: pick(referrers, die(1)) ?? '',
    ...(die(2) < 0.15 ? (pick(campaigns, die(3)) ?? noCampaign) : noCampaign),
    visitor: String(Math.floor(die(4) * 400)),
  };
}
