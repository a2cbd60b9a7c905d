import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { parseSearch, type SearchParams, stringifySearch } from '../data/search-params.ts';
import { ListPage } from '../records/list/record-list.tsx';
import { OverviewPage } from '../screens/overview/overview-page.tsx';
import { ConfirmProvider } from '../ui/confirm.tsx';
import { LeavingProvider } from '../ui/leave-guard.tsx';
import { later } from '../ui/load-on-use.tsx';
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

/** Screens whose code is loaded on first use, or when a link to them is hovered or focused. */
const loadedLater = [
  screen('/$collection/$id', () => import('../records/record/record-page.tsx')),
  screen('/$collection/$id/history', () => import('../screens/history/history-page.tsx')),
  screen('/courses/$id/curriculum', () => import('../screens/curriculum/curriculum-page.tsx')),
  screen('/posts/$id/newsletter', () => import('../screens/newsletters/compose-page.tsx')),
  screen('/cv', () => import('../screens/cv/cv-page.tsx')),
  screen('/analytics', () => import('../screens/analytics/analytics-page.tsx')),
  screen('/members', () => import('../screens/audience/members-page.tsx')),
  screen('/subscribers', () => import('../screens/audience/subscribers-page.tsx')),
  screen('/subscribers/$id', () => import('../screens/newsletters/reader-page.tsx')),
  screen('/newsletters', () => import('../screens/newsletters/newsletters-page.tsx')),
  screen('/newsletters/$id', () => import('../screens/newsletters/newsletter-page.tsx')),
  screen('/testimonials', () => import('../screens/testimonials/testimonials-page.tsx')),
  screen('/payments', () => import('../screens/selling/connection-page.tsx')),
  screen('/offers', () => import('../screens/selling/offers-page.tsx')),
  screen('/purchases', () => import('../screens/selling/purchases-page.tsx')),
  screen('/memberships', () => import('../screens/selling/memberships-page.tsx')),
  screen('/attention', () => import('../screens/selling/attention-page.tsx')),
  screen('/enrollments', () => import('../screens/audience/enrollments-page.tsx')),
  screen('/settings', () => import('../screens/settings/site-page.tsx')),
  screen('/profile', () => import('../screens/settings/profile-page.tsx')),
  screen('/media', () => import('../screens/media/media-page.tsx')),
  screen('/people', () => import('../screens/people/people-page.tsx')),
  screen('/account', () => import('../screens/account/account-page.tsx')),
  screen('/outbox', () => import('../screens/outbox/outbox-page.tsx')),
  screen('/outbox/$id', () => import('../screens/outbox/mail-page.tsx')),
  screen('/redirects', () => import('../screens/redirects/redirects-page.tsx')),
  screen('/import-export', () => import('../screens/import-export/import-export-page.tsx')),
  screen('/trash', () => import('../screens/trash/trash-page.tsx')),
  screen('/tools/api-keys', () => import('../screens/api-keys/keys-page.tsx')),
  screen('/tools/assistants', () => import('../screens/assistants/assistants-page.tsx')),
  screen('/tools/activity', () => import('../screens/audit/activity-page.tsx')),
  screen('/tools/webhooks', () => import('../screens/webhooks/webhooks-page.tsx')),
  screen('/tools/webhooks/$id', () => import('../screens/webhooks/webhook-page.tsx')),
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
