import { createSite } from '../../server/accounts/sites/store.ts';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startApp } from './app.ts';

/** Starts a server with the example site. */
export async function startDemoSite(smtpUrl?: string) {
  const app = await startApp(smtpUrl ? { smtpUrl } : {});
  const siteId = await createSite(app.deps, { name: 'Ada Marsh', plan: 'pro' });
  await fillWithExample(app.deps, siteId);
  return { ...app, siteId };
}

/** Pages of the example site: one of each kind, and each form. */
export const demoPages = [
  '/',
  '/posts',
  '/posts?q=goose',
  '/posts/type-safe-apis',
  '/posts/reading-a-query-plan-over-coffee',
  '/posts/letters-from-the-early-birds',
  '/tags/postgresql',
  '/projects',
  '/projects/lantern',
  '/courses',
  '/courses/postgresql-for-people-who-ship',
  '/talks',
  '/cv',
  '/search',
  '/search?q=goose',
  '/search?q=zzyzx',
  '/testimonials',
  '/newsletter',
  '/newsletter?sent=1',
  '/sign-in',
  '/now',
  '/nothing',
];
