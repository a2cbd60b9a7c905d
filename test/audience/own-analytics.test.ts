import { expect, test } from 'vitest';
import type { PageView } from '../../server/audience/analytics/store-views.ts';
import { insertViews } from '../../server/audience/analytics/store-views.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import { rollUpViews } from '../../worker/jobs/roll-up.ts';
import { startApp } from '../support/app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

async function startSite(plan: 'pro' | 'creator' = 'pro') {
  const app = await startApp();
  const siteId = await app.seed.site({ plan });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const today = dayOf(app.clock.now());
  const none = { referrer: '', utm_source: '', utm_medium: '', utm_campaign: '' };
  return {
    ...app,
    analytics: studio.analytics,
    ago: (days: number) => dayAfter(today, -days),
    view: (daysAgo: number, visitor: string, view: Partial<PageView>) =>
      insertViews(app.deps.database, [
        { site_id: siteId, day: dayAfter(today, -daysAgo), path: '/', ...none, visitor, ...view },
      ]),
  };
}

test('an owner reads given days, also of one page, source or campaign, compared with as many days before', async () => {
  await using site = await startSite();
  const { analytics, ago, view } = site;
  const campaign = { utm_campaign: 'launch', utm_source: 'letter', utm_medium: 'email' };
  await view(12, '1', { path: '/a', referrer: 'news.example' });
  await view(13, '1', { path: '/a', referrer: 'news.example', ...campaign });
  await view(14, '2', { path: '/b' });
  await view(15, '2', { path: '/a', referrer: 'news.example' });
  await view(15, '3', { path: '/b', ...campaign });
  await view(20, '3', { path: '/a' });
  // Rolls up finished days. Filtered counts cannot use these totals, and need the raw views.
  await rollUpViews(site.deps.database, site.clock.now());
  const days = { from: ago(13), to: ago(12) };
  const read = async (only: object) => {
    const { period, from, to, before, ...answer } = await analytics.get.query({ ...days, ...only });
    expect({ period, from, to }).toEqual({ period: null, ...days });
    expect(before).toMatchObject({ from: ago(15), to: ago(14) });
    return {
      views: answer.views_over_time.map(({ views }) => views),
      pages: answer.popular_pages,
      utm: answer.utm?.map(({ campaign: name }) => name),
      before: before?.total_views,
      visitors: answer.unique_visitors,
    };
  };
  expect(await read({})).toEqual({
    views: [1, 1],
    pages: [{ path: '/a', views: 2 }],
    utm: ['launch'],
    before: 3,
    visitors: 2,
  });
  const ofSource = { views: [1, 1], pages: [{ path: '/a', views: 2 }], utm: ['launch'], visitors: 2 };
  expect(await read({ referrer: 'news.example' })).toEqual({ ...ofSource, before: 1 });
  expect(await read({ path: '/b' })).toEqual({ views: [0, 0], pages: [], utm: [], before: 2, visitors: 0 });
  const ofCampaign = { views: [1, 0], pages: [{ path: '/a', views: 1 }], utm: ['launch'], visitors: 1 };
  expect(await read(campaign)).toEqual({ ...ofCampaign, before: 1 });
  expect(await read({ ...campaign, path: '/b' })).toMatchObject({ views: [0, 0], before: 1 });
});

test('days without raw views are left out, and nothing is compared with them', async () => {
  await using site = await startSite();
  const { analytics, ago } = site;
  const { from, to, period } = await analytics.get.query({ from: '1999-01-01', to: '2999-01-01' });
  expect({ from, to, period }).toEqual({ from: ago(89), to: ago(0), period: null });
  const turned = await analytics.get.query({ from: ago(2), to: ago(5) });
  expect(turned).toMatchObject({ from: ago(5), to: ago(5) });
  // Totals of finished days are stored for longer than raw views, but cannot be filtered.
  expect(await analytics.get.query({ period: '90d' })).toMatchObject({ before: { from: ago(179) } });
  expect(await analytics.get.query({ period: '90d', path: '/' })).toMatchObject({ before: null });
  expect(await refusal(analytics.get.query({ path: '\0' }))).toMatchObject({ code: 'invalid_request' });
});

test('a plan without sources refuses analytics that are filtered by a source', async () => {
  await using site = await startSite('creator');
  expect(await refusal(site.analytics.get.query({ utm_source: 'letter' }))).toMatchObject({
    code: 'insufficient_scope',
  });
  expect(await site.analytics.get.query({ path: '/' })).toMatchObject({ total_views: 0 });
});
