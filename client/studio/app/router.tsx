import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { parseSearch, type SearchParams, stringifySearch } from '../data/search-params.ts';
import { ListPage } from '../kinds/list/list-page.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { Broken } from '../ui/broken.tsx';
import { later } from '../ui/later.tsx';
import { LeavingProvider } from '../ui/leaving.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Screens, notFoundComponent: NotFound });
const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewPage });

const list = createRoute({
  getParentRoute: () => root,
  path: '/$collection',
  component: ListPage,
  validateSearch: (search: SearchParams): SearchParams => search,
});
const trash = createRoute({
  getParentRoute: () => root,
  path: '/trash',
  component: later(async () => (await import('../pages/trash/trash-page.tsx')).TrashPage, { as: 'screen' }),
  validateSearch: (search: SearchParams): SearchParams => search,
});
const history = createRoute({
  getParentRoute: () => root,
  path: '/$collection/$id/history',
  component: later(async () => (await import('../pages/history/history-page.tsx')).HistoryPage, {
    as: 'screen',
  }),
  validateSearch: (search: SearchParams): SearchParams => search,
});
const record = screen(
  '/$collection/$id',
  async () => (await import('../kinds/record/record-page.tsx')).RecordPage,
);

/** Screens that are loaded when they are first shown, or about to be. */
const loadedLater = [
  screen('/cv', async () => (await import('../pages/cv/cv-page.tsx')).CvPage),
  screen('/analytics', async () => (await import('../pages/analytics/analytics-page.tsx')).AnalyticsPage),
  screen('/media', async () => (await import('../pages/media/media-page.tsx')).MediaPage),
  screen('/account', async () => (await import('../pages/account/account-page.tsx')).AccountPage),
  screen('/people', async () => (await import('../pages/people/people-page.tsx')).PeoplePage),
  screen('/profile', async () => (await import('../pages/settings/profile-page.tsx')).ProfilePage),
  screen('/settings', async () => (await import('../pages/settings/site-page.tsx')).SitePage),
  screen('/redirects', async () => (await import('../pages/redirects/redirects-page.tsx')).RedirectsPage),
  screen(
    '/import-export',
    async () => (await import('../pages/import-export/import-export-page.tsx')).ImportExportPage,
  ),
  screen('/members', async () => (await import('../pages/audience/members-page.tsx')).MembersPage),
  screen(
    '/subscribers',
    async () => (await import('../pages/audience/subscribers-page.tsx')).SubscribersPage,
  ),
  screen('/outbox', async () => (await import('../pages/outbox/outbox-page.tsx')).OutboxPage),
  screen(
    '/newsletters',
    async () => (await import('../pages/newsletters/newsletters-page.tsx')).NewslettersPage,
  ),
  screen(
    '/testimonials',
    async () => (await import('../pages/testimonials/testimonials-page.tsx')).TestimonialsPage,
  ),
  screen('/purchases', async () => (await import('../pages/audience/purchases-page.tsx')).PurchasesPage),
  screen(
    '/enrollments',
    async () => (await import('../pages/audience/enrollments-page.tsx')).EnrollmentsPage,
  ),
  screen('/tools/api-keys', async () => (await import('../pages/api-keys/keys-page.tsx')).KeysPage),
  screen('/tools/webhooks', async () => (await import('../pages/webhooks/webhooks-page.tsx')).WebhooksPage),
  screen(
    '/tools/assistants',
    async () => (await import('../pages/assistants/assistants-page.tsx')).AssistantsPage,
  ),
  screen('/tools/activity', async () => (await import('../pages/audit/activity-page.tsx')).ActivityPage),
] as const;
const curriculum = screen(
  '/courses/$id/curriculum',
  async () => (await import('../pages/curriculum/curriculum-page.tsx')).CurriculumPage,
);
const webhook = screen(
  '/tools/webhooks/$id',
  async () => (await import('../pages/webhooks/webhook-page.tsx')).WebhookPage,
);
const newsletter = screen(
  '/newsletters/$id',
  async () => (await import('../pages/newsletters/newsletter-page.tsx')).NewsletterPage,
);
const reader = screen(
  '/subscribers/$id',
  async () => (await import('../pages/newsletters/reader-page.tsx')).ReaderPage,
);
const compose = screen(
  '/posts/$id/newsletter',
  async () => (await import('../pages/newsletters/compose-page.tsx')).ComposePage,
);
const mail = screen('/outbox/$id', async () => (await import('../pages/outbox/mail-page.tsx')).MailPage);

function Screens() {
  return (
    <LeavingProvider>
      <Shell />
    </LeavingProvider>
  );
}

function screen<const Path extends string>(path: Path, load: () => Promise<ComponentType>) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: later(load, { as: 'screen' }),
    validateSearch: (search: SearchParams): SearchParams => search,
  });
}

const routeTree = root.addChildren([
  overview,
  list,
  trash,
  record,
  history,
  webhook,
  curriculum,
  newsletter,
  reader,
  compose,
  mail,
  ...loadedLater,
]);

export const createStudioRouter = () =>
  createRouter({
    routeTree,
    basepath: '/studio',
    defaultPreload: 'intent',
    defaultErrorComponent: Broken,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createStudioRouter>;
  }
}
