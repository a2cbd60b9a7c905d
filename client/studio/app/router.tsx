import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { parseSearch, type SearchParams, stringifySearch } from '../data/search-params.ts';
import { ListPage } from '../kinds/list/record-list.tsx';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { ConfirmProvider } from '../ui/confirm.tsx';
import { later } from '../ui/later.tsx';
import { LeavingProvider } from '../ui/leaving.tsx';
import { Broken, NotFound } from '../ui/pending.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Screens, notFoundComponent: NotFound });
const overview = createRoute({ getParentRoute: () => root, path: '/', component: OverviewPage });

const list = createRoute({
  getParentRoute: () => root,
  path: '/$collection',
  component: ListPage,
  validateSearch: (search: SearchParams): SearchParams => search,
});

/** Screens that are loaded when they are first shown, or about to be. */
const loadedLater = [
  screen('/$collection/$id', () => import('../kinds/record/record-page.tsx')),
  screen('/$collection/$id/history', () => import('../pages/history/history-page.tsx')),
  screen('/courses/$id/curriculum', () => import('../pages/curriculum/curriculum-page.tsx')),
  screen('/posts/$id/newsletter', () => import('../pages/newsletters/compose-page.tsx')),
  screen('/cv', () => import('../pages/cv/cv-page.tsx')),
  screen('/analytics', () => import('../pages/analytics/analytics-page.tsx')),
  screen('/members', () => import('../pages/audience/members-page.tsx')),
  screen('/subscribers', () => import('../pages/audience/subscribers-page.tsx')),
  screen('/subscribers/$id', () => import('../pages/newsletters/reader-page.tsx')),
  screen('/newsletters', () => import('../pages/newsletters/newsletters-page.tsx')),
  screen('/newsletters/$id', () => import('../pages/newsletters/newsletter-page.tsx')),
  screen('/testimonials', () => import('../pages/testimonials/testimonials-page.tsx')),
  screen('/purchases', () => import('../pages/audience/purchases-page.tsx')),
  screen('/enrollments', () => import('../pages/audience/enrollments-page.tsx')),
  screen('/settings', () => import('../pages/settings/site-page.tsx')),
  screen('/profile', () => import('../pages/settings/profile-page.tsx')),
  screen('/media', () => import('../pages/media/media-page.tsx')),
  screen('/people', () => import('../pages/people/people-page.tsx')),
  screen('/account', () => import('../pages/account/account-page.tsx')),
  screen('/outbox', () => import('../pages/outbox/outbox-page.tsx')),
  screen('/outbox/$id', () => import('../pages/outbox/mail-page.tsx')),
  screen('/redirects', () => import('../pages/redirects/redirects-page.tsx')),
  screen('/import-export', () => import('../pages/import-export/import-export-page.tsx')),
  screen('/trash', () => import('../pages/trash/trash-page.tsx')),
  screen('/tools/api-keys', () => import('../pages/api-keys/keys-page.tsx')),
  screen('/tools/assistants', () => import('../pages/assistants/assistants-page.tsx')),
  screen('/tools/activity', () => import('../pages/audit/activity-page.tsx')),
  screen('/tools/webhooks', () => import('../pages/webhooks/webhooks-page.tsx')),
  screen('/tools/webhooks/$id', () => import('../pages/webhooks/webhook-page.tsx')),
] as const;

function Screens() {
  return (
    <LeavingProvider>
      <ConfirmProvider>
        <Shell />
      </ConfirmProvider>
    </LeavingProvider>
  );
}

function screen<const Path extends string>(path: Path, load: () => Promise<{ default: ComponentType }>) {
  return createRoute({
    getParentRoute: () => root,
    path,
    component: later(load, { as: 'screen' }),
    validateSearch: (search: SearchParams): SearchParams => search,
  });
}

const routeTree = root.addChildren([overview, list, ...loadedLater]);

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
