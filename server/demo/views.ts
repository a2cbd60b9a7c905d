import { retentionDays } from '../../shared/contract/limits.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import type { View } from '../features/analytics/view.ts';

/** Pages with how often they are read, compared to each other. */
const pages = [
  { path: '/posts/the-queue-that-forgot-tuesdays', share: 8 },
  { path: '/', share: 6 },
  { path: '/posts/type-safe-apis', share: 5 },
  { path: '/posts/retry-like-you-mean-it', share: 3 },
  { path: '/courses/postgresql-for-people-who-ship', share: 3 },
  { path: '/posts/what-i-carry-on-the-boat', share: 1 },
];

const sources = [
  { referrer: '' },
  { referrer: 'news.example.com' },
  { referrer: 'search.example.com' },
  { referrer: 'mail.example.com', utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'tuesdays' },
  { referrer: 'backend-days.example.com', utm_source: 'talk', utm_medium: 'slides' },
];

/** Page views of every day that analytics can be asked for, up to today, the same at every call but for the dates: busier by the week, quiet at weekends. */
export function pageViews(siteId: string, now: Date): View[] {
  const today = dayOf(now);
  const days = Array.from({ length: retentionDays.views }, (_, ago) => ago);
  return days.flatMap((ago) => viewsOf(siteId, dayAfter(today, -ago), 1 - ago / retentionDays.views));
}

function viewsOf(siteId: string, day: string, progress: number): View[] {
  const weekend = [0, 6].includes(new Date(day).getUTCDay());
  const rounds = Math.ceil((weekend ? 1 : 2) * (1 + 2 * progress));
  const shares = pages.flatMap(({ path, share }) => Array.from({ length: share }, () => path));
  return Array.from({ length: rounds * shares.length }, (_, place) => ({
    site_id: siteId,
    day,
    path: shares[place % shares.length] ?? '/',
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    referrer: '',
    ...sources[(place * 7) % sources.length],
    // Every third view is by somebody who was here before on that day.
    visitor: String(place % 3 === 0 ? Math.floor(place / 2) : place),
  }));
}
