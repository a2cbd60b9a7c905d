import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OverviewPage } from '../overview/overview-page.tsx';
import { ListPage } from '../records/list-page.tsx';
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
  component: lazyRouteComponent(() => import('../trash/trash-page.tsx'), 'TrashPage'),
  validateSearch: (search: SearchParams): SearchParams => search,
});
const history = createRoute({
  getParentRoute: () => root,
  path: '/$collection/$id/history',
  component: lazyRouteComponent(() => import('../history/history-page.tsx'), 'HistoryPage'),
  validateSearch: (search: SearchParams): SearchParams => search,
});
const record = screen('/$collection/$id', () => import('../records/record-page.tsx'), 'RecordPage');

/** Screens that are loaded when they are first shown, or about to be. */
const later = [
  screen('/media', () => import('../media/media-page.tsx'), 'MediaPage'),
  screen('/profile', () => import('../settings/profile-page.tsx'), 'ProfilePage'),
  screen('/settings', () => import('../settings/site-page.tsx'), 'SitePage'),
  screen('/moving', () => import('../moving/moving-page.tsx'), 'MovingPage'),
  screen('/members', () => import('../audience/members-page.tsx'), 'MembersPage'),
  screen('/subscribers', () => import('../audience/subscribers-page.tsx'), 'SubscribersPage'),
  screen('/testimonials', () => import('../audience/testimonials-page.tsx'), 'TestimonialsPage'),
  screen('/purchases', () => import('../audience/purchases-page.tsx'), 'PurchasesPage'),
  screen('/enrollments', () => import('../audience/enrollments-page.tsx'), 'EnrollmentsPage'),
  screen('/tools/api-keys', () => import('../tools/keys/keys-page.tsx'), 'KeysPage'),
  screen('/tools/webhooks', () => import('../tools/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  screen('/tools/assistants', () => import('../tools/assistants/assistants-page.tsx'), 'AssistantsPage'),
  screen('/tools/activity', () => import('../audit/activity-page.tsx'), 'ActivityPage'),
] as const;
const curriculum = screen(
  '/courses/$id/curriculum',
  () => import('../curriculum/curriculum-page.tsx'),
  'CurriculumPage',
);
const webhook = screen(
  '/tools/webhooks/$id',
  () => import('../tools/webhooks/webhook-page.tsx'),
  'WebhookPage',
);

function Screens() {
  return (
    <LeavingProvider>
      <Shell />
    </LeavingProvider>
  );
}

function screen<const Path extends string, Module extends Record<string, () => ReactNode>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load, name),
    validateSearch: (search: SearchParams): SearchParams => search,
  });
}

const routeTree = root.addChildren([overview, list, trash, record, history, webhook, curriculum, ...later]);

export const createStudioRouter = () =>
  createRouter({
    routeTree,
    basepath: '/studio',
    defaultPreload: 'intent',
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createStudioRouter>;
  }
}
