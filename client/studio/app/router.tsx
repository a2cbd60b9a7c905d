import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { OverviewPage } from '../overview/overview-page.tsx';
import { ListPage } from '../records/list-page.tsx';
import { Broken } from '../ui/broken.tsx';
import { later } from '../ui/later.tsx';
import { LeavingProvider } from '../ui/leaving.tsx';
import { NotFound } from '../ui/not-found.tsx';
import { parseSearch, type SearchParams, stringifySearch } from './search-params.ts';
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
  component: later(async () => (await import('../trash/trash-page.tsx')).TrashPage, { as: 'screen' }),
  validateSearch: (search: SearchParams): SearchParams => search,
});
const history = createRoute({
  getParentRoute: () => root,
  path: '/$collection/$id/history',
  component: later(async () => (await import('../history/history-page.tsx')).HistoryPage, { as: 'screen' }),
  validateSearch: (search: SearchParams): SearchParams => search,
});
const record = screen(
  '/$collection/$id',
  async () => (await import('../records/record-page.tsx')).RecordPage,
);

/** Screens that are loaded when they are first shown, or about to be. */
const loadedLater = [
  screen('/media', async () => (await import('../media/media-page.tsx')).MediaPage),
  screen('/profile', async () => (await import('../settings/profile-page.tsx')).ProfilePage),
  screen('/settings', async () => (await import('../settings/site-page.tsx')).SitePage),
  screen('/moving', async () => (await import('../moving/moving-page.tsx')).MovingPage),
  screen('/members', async () => (await import('../audience/members-page.tsx')).MembersPage),
  screen('/subscribers', async () => (await import('../audience/subscribers-page.tsx')).SubscribersPage),
  screen('/testimonials', async () => (await import('../audience/testimonials-page.tsx')).TestimonialsPage),
  screen('/purchases', async () => (await import('../audience/purchases-page.tsx')).PurchasesPage),
  screen('/enrollments', async () => (await import('../audience/enrollments-page.tsx')).EnrollmentsPage),
  screen('/tools/api-keys', async () => (await import('../tools/keys/keys-page.tsx')).KeysPage),
  screen('/tools/webhooks', async () => (await import('../tools/webhooks/webhooks-page.tsx')).WebhooksPage),
  screen(
    '/tools/assistants',
    async () => (await import('../tools/assistants/assistants-page.tsx')).AssistantsPage,
  ),
  screen('/tools/activity', async () => (await import('../audit/activity-page.tsx')).ActivityPage),
] as const;
const curriculum = screen(
  '/courses/$id/curriculum',
  async () => (await import('../curriculum/curriculum-page.tsx')).CurriculumPage,
);
const webhook = screen(
  '/tools/webhooks/$id',
  async () => (await import('../tools/webhooks/webhook-page.tsx')).WebhookPage,
);

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
