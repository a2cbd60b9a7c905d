import { expect, test } from 'vitest';
import type { PageView } from '../../server/audience/analytics/store-views.ts';
import { insertViews } from '../../server/audience/analytics/store-views.ts';
import type { PlanName } from '../../shared/contract/plans.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import { rollUpViews } from '../../worker/jobs/roll-up.ts';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';

// Responses of the analytics endpoint.

async function startSite(plan: PlanName = 'pro') {
  const app = await startApp();
  const siteId = await app.seed.site({ plan });
  const key = await app.seed.key({ siteId, scopes: ['read:analytics'] });
  const today = dayOf(app.clock.now());
  return {
    ...app,
    siteId,
    today,
    analytics: (query = '') => app.get(`/api/v2/analytics${query}`, { key }),
    /** Stores views, each with its own visitor unless one is given. */
    views: (views: (Partial<PageView> & { daysAgo?: number })[]) =>
      insertViews(
        app.deps.database,
        views.map(({ daysAgo = 0, ...view }, n) => ({
          site_id: siteId,
          day: dayAfter(today, -daysAgo),
          path: '/',
          referrer: '',
          utm_source: '',
          utm_medium: '',
          utm_campaign: '',
          visitor: String(n),
          ...view,
        })),
      ),
    rollUp: () => rollUpViews(app.deps.database, app.clock.now()),
  };
}

const zeros = (from: string, days: number) =>
  Array.from({ length: days }, (_, n) => ({ date: dayAfter(from, n), views: 0, visitors: 0 }));

test.each([
  ['?period=7d', '7d', '2026-01-25', 7],
  ['?period=30d', '30d', '2026-01-02', 30],
  ['?period=90d', '90d', '2025-11-03', 90],
  ['', '30d', '2026-01-02', 30],
  ['?period=', '30d', '2026-01-02', 30],
  ['?period=1y', '30d', '2026-01-02', 30],
  ['?period=7D', '30d', '2026-01-02', 30],
  ['?period=constructor', '30d', '2026-01-02', 30],
  ['?days=7', '30d', '2026-01-02', 30],
] as const)('%s means %s: all its days are listed, with zeros', async (query, period, from, days) => {
  await using app = await startSite();
  const body = {
    period,
    from,
    to: '2026-01-31',
    total_views: 0,
    unique_visitors: 0,
    views_over_time: zeros(from, days),
    popular_pages: [],
    top_referrers: [],
    utm: [],
  };
  expect(await app.analytics(query)).toEqual({ status: 200, body });
});

test('a repeated period parameter is refused', async () => {
  await using app = await startSite();
  expect(await app.analytics('?period=7d&period=30d')).toEqual(
    failure(400, 'invalid_request', expect.stringMatching(/^period: /)),
  );
});

test('the period includes its first day and ends today', async () => {
  await using app = await startSite();
  await app.views([0, 6, 7, 29, 30, 89, 90].map((daysAgo) => ({ daysAgo })));
  const totals = async () =>
    Promise.all(
      ['7d', '30d', '90d'].map(async (period) => {
        const { total_views } = (await app.analytics(`?period=${period}`)).body as { total_views: number };
        return total_views;
      }),
    );
  expect(await totals()).toEqual([2, 4, 6]);
  await app.rollUp();
  expect(await totals()).toEqual([2, 4, 6]);
});

test('lists contain the ten pages, ten referrers and twenty UTM triples with the most views', async () => {
  await using app = await startSite();
  const views = Array.from({ length: 25 }, (_, n) =>
    Array.from({ length: n + 1 }, () => ({
      path: `/${n}`,
      referrer: `${n}.example.com`,
      utm_source: `s${n}`,
      daysAgo: n % 3,
    })),
  );
  await app.views(views.flat());
  const highest = (max: number) => Array.from({ length: max }, (_, n) => 24 - n);
  const expected = {
    popular_pages: highest(10).map((n) => ({ path: `/${n}`, views: n + 1 })),
    top_referrers: highest(10).map((n) => ({ referrer: `${n}.example.com`, views: n + 1 })),
    utm: highest(20).map((n) => ({ source: `s${n}`, medium: '', campaign: '', views: n + 1 })),
  };
  const { body } = await app.analytics();
  expect(body).toMatchObject(expected);
  await app.rollUp();
  expect(await app.analytics()).toEqual({ status: 200, body });
});

test("a label that reaches the top only with today's views is listed", async () => {
  await using app = await startSite();
  const older = Array.from({ length: 10 }, (_, n) =>
    Array.from({ length: 5 }, () => ({ path: `/old-${n}`, daysAgo: 1 })),
  ).flat();
  const risen = [...Array(4).fill({ path: '/risen', daysAgo: 1 }), ...Array(4).fill({ path: '/risen' })];
  await app.views([...older, ...risen]);
  await app.rollUp();
  const { popular_pages } = (await app.analytics()).body as { popular_pages: object[] };
  expect(popular_pages[0]).toEqual({ path: '/risen', views: 8 });
});

test('the free plan has no analytics API; creator has no referrers and UTM parameters; pro has all', async () => {
  await using free = await startSite('free');
  expect(await free.analytics()).toMatchObject(failure(403, 'insufficient_scope', expect.any(String)));
  await using creator = await startSite('creator');
  const basic = [
    'period',
    'from',
    'to',
    'total_views',
    'unique_visitors',
    'views_over_time',
    'popular_pages',
  ];
  expect(Object.keys((await creator.analytics()).body as object)).toEqual(basic);
  await using pro = await startSite('pro');
  expect(Object.keys((await pro.analytics()).body as object)).toEqual([...basic, 'top_referrers', 'utm']);
});

test('a plan change applies from the next request on', async () => {
  await using app = await startSite('creator');
  expect((await app.analytics()).body).not.toHaveProperty('utm');
  await app.deps.database.em.execute(`update sites set plan = 'pro' where id = ?`, [app.siteId]);
  expect((await app.analytics()).body).toHaveProperty('utm');
});

test('views of another site are not counted, before and after the roll-up', async () => {
  await using app = await startSite();
  const site_id = await app.seed.site();
  await app.views([{ site_id }, { site_id, daysAgo: 1 }, { daysAgo: 1 }]);
  expect((await app.analytics()).body).toMatchObject({ total_views: 1, unique_visitors: 1 });
  await app.rollUp();
  expect((await app.analytics()).body).toMatchObject({ total_views: 1, unique_visitors: 1 });
});
