import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';

test('an owner lists purchases and enrollments of their site, newest first', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Locks' });
  const purchase = { content_type: 'courses', content_id: course_id, amount: 49.5, currency: 'EUR' } as const;
  const emails = ['grace@example.com', 'ada@example.com'];
  for (const buyer_email of emails) {
    app.clock.advance({ minutes: 1 });
    await studio.purchases.record.mutate({ ...purchase, buyer_email });
  }
  const [newest] = (await studio.enrollments.list.query({})).items;
  await studio.enrollments.complete.mutate({ id: newest?.id ?? '' });

  const page = { page: 1, per_page: 50, total: 2 };
  const [first, second] = emails.toReversed().map((buyer_email) => ({ buyer_email }));
  expect(await studio.purchases.list.query({})).toMatchObject({
    ...page,
    items: [
      { ...first, ...purchase },
      { ...second, ...purchase },
    ],
  });
  expect(await studio.enrollments.list.query({})).toMatchObject({
    ...page,
    items: [
      { ...first, course_id, completed_at: app.clock.now() },
      { ...second, course_id, completed_at: null },
    ],
  });
  const other = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site()));
  expect(await other.studio.purchases.list.query({})).toMatchObject({ items: [], total: 0 });
  expect(await other.studio.enrollments.list.query({})).toMatchObject({ items: [], total: 0 });
});

test.each([
  ['pro', ['top_referrers', 'utm']],
  ['creator', []],
] as const)('an owner on the plan %s can read the analytics of this plan', async (plan, more) => {
  await using app = await startApp();
  const siteId = await app.seed.site({ plan });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  await visitorClient(app.baseUrl).site.analytics.track.mutate({ path: '/posts/hello' });

  const { total_views, popular_pages, ...rest } = await studio.analytics.get.query({ period: '7d' });
  expect({ total_views, popular_pages }).toEqual({
    total_views: 1,
    popular_pages: [{ path: '/posts/hello', views: 1 }],
  });
  expect(Object.keys(rest).toSorted()).toEqual(
    ['period', 'from', 'to', 'before', 'unique_visitors', 'views_over_time', ...more].toSorted(),
  );
});

test('a plan without analytics has none in the studio', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site({ plan: 'free' });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  expect(await refusal(studio.analytics.get.query({}))).toMatchObject({ code: 'insufficient_scope' });
});
