import { retentionDays } from '../../shared/contract/limits.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import type { PageView } from '../audience/analytics/store-views.ts';

interface ViewedPage {
  path: string;
  daily: number;
  /** Days since a post was published; undefined for other pages. */
  publishedDaysAgo?: number;
}

const pages: readonly ViewedPage[] = [
  { path: '/', daily: 14 },
  { path: '/posts/the-queue-that-forgot-tuesdays', daily: 9, publishedDaysAgo: 2 },
  { path: '/posts/type-safe-apis', daily: 8, publishedDaysAgo: 9 },
  { path: '/posts/retry-like-you-mean-it', daily: 5, publishedDaysAgo: 16 },
  { path: '/posts/an-index-is-a-promise-about-the-future', daily: 4, publishedDaysAgo: 24 },
  { path: '/posts/what-i-carry-on-the-boat', daily: 2, publishedDaysAgo: 33 },
  { path: '/posts/the-kindest-error-message-i-know', daily: 3, publishedDaysAgo: 41 },
  { path: '/courses/postgresql-for-people-who-ship', daily: 5 },
  { path: '/projects/lantern', daily: 2 },
  { path: '/cv', daily: 1 },
];

const sources = [
  { referrer: '' },
  { referrer: 'news.example.com' },
  { referrer: 'search.example.com' },
  { referrer: 'mail.example.com', utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'tuesdays' },
  { referrer: 'backend-days.example.com', utm_source: 'talk', utm_medium: 'slides' },
];

/** Extra readers of a post on its first day, as a multiple of its daily ones. The extra halves every day. */
const rush = 14;

/** Factors of the views on each weekday, from Sunday on: the readers are developers, who read at work. */
const weekdays = [0.5, 1.05, 1.2, 1.1, 1, 0.85, 0.45];

/**
 * Creates page views of every day that analytics can show, up to today. They are the same in every call except for the
 * dates.
 */
export function pageViews(siteId: string, now: Date): PageView[] {
  const today = dayOf(now);
  const days = Array.from({ length: retentionDays.views }, (_, ago) => ago);
  return days.flatMap((ago) => viewsOf(siteId, dayAfter(today, -ago), ago));
}

function viewsOf(siteId: string, day: string, ago: number): PageView[] {
  const growth = 2.5 - (1.2 * ago) / retentionDays.views;
  const paths = pages.flatMap(({ path, daily, publishedDaysAgo = Number.POSITIVE_INFINITY }, index) => {
    const age = publishedDaysAgo - ago;
    if (publishedDaysAgo < ago) return [];
    const peak = Number.isFinite(age) ? rush * 0.5 ** age : 0;
    // Variation between days.
    const luck = 0.8 + ((ago * 7 + index * 5) % 11) / 25;
    const count = daily * (growth + peak) * (weekdays[new Date(day).getUTCDay()] ?? 1) * luck;
    return Array.from({ length: Math.ceil(count) }, () => path);
  });
  return paths.map((path, index) => ({
    site_id: siteId,
    day,
    path,
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    referrer: '',
    ...sources[(index * 7) % sources.length],
    // A third of the views are by visitors who came before on that day.
    visitor: String(index % 3 === 0 ? Math.floor(index / 2) : index),
  }));
}
