import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnalytics } from '../../server/audience/analytics/read-views.ts';
import type { PageView } from '../../server/audience/analytics/store-views.ts';
import { insertViews } from '../../server/audience/analytics/store-views.ts';
import { createDeps } from '../../server/start/compose.ts';
import { type Period, periods } from '../../shared/contract/features/analytics.ts';
import { dayAfter, dayOf, partitionDays } from '../../shared/db/page-views.ts';
import { rollUpViews } from '../../worker/jobs/roll-up.ts';
import { startApp } from '../support/app.ts';

// Raw views are stored for 90 days, one partition per day. Counts of finished days are stored for longer.

async function startSite() {
  const app = await startApp();
  const siteId = await app.seed.ownSite();
  const { database } = app.deps;
  return {
    ...app,
    siteId,
    database,
    today: () => dayOf(app.clock.now()),
    rollUp: () => rollUpViews(database, app.clock.now()),
    read: (period: Period) => readAnalytics(app.deps, siteId, period),
    /** Reads analytics as a server that has just started, with empty caches. */
    readAfresh: (period: Period) => readAnalytics(createDeps(app.deps), siteId, period),
    view: (view: Partial<PageView> = {}): PageView => ({
      site_id: siteId,
      day: dayOf(app.clock.now()),
      path: '/',
      referrer: '',
      utm_source: '',
      utm_medium: '',
      utm_campaign: '',
      visitor: '1',
      ...view,
    }),
    count: async (table: string) =>
      (await database.em.execute<{ n: number }[]>(`select count(*)::integer as n from ${table}`))[0]?.n,
  };
}

const label = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'B', 'ä', '"', '\\', '[1]'),
  fc.string({ maxLength: 5 }),
);
const stored = (text: string) => text.replaceAll('\0', '');

const randomView = fc.record({
  daysAgo: fc.integer({ min: 0, max: 92 }),
  path: label.map((text) => `/${stored(text)}`),
  referrer: label.map(stored),
  utm_source: label.map(stored),
  utm_medium: label.map(stored),
  utm_campaign: label.map(stored),
  visitor: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  again: fc.integer({ min: 1, max: 4 }),
});

test('answers from the roll-up equal answers from the raw views, for any views', async () => {
  await using app = await startSite();
  const other = await app.seed.site();
  const empty = 'truncate page_views, page_view_days, page_view_rollups';
  const property = fc.asyncProperty(fc.array(randomView, { maxLength: 60 }), async (random) => {
    await app.database.em.execute(empty);
    const views = random.flatMap(({ daysAgo, again, ...view }) =>
      Array<PageView>(again).fill(app.view({ ...view, day: dayAfter(app.today(), -daysAgo) })),
    );
    const theirs = views.map((view) => ({ ...view, site_id: other }));
    if (views.length > 0) await insertViews(app.database, [...views, ...theirs]);
    const before = await Promise.all([app.readAfresh('7d'), app.readAfresh('30d'), app.readAfresh('90d')]);
    await app.rollUp();
    const after = await Promise.all([app.readAfresh('7d'), app.readAfresh('30d'), app.readAfresh('90d')]);
    expect(after).toEqual(before);
    for (const answer of before) {
      const within = views.filter(({ day }) => day >= answer.from && day <= answer.to);
      expect(answer.total_views).toBe(within.length);
      expect(answer.unique_visitors).toBe(
        new Set(within.map(({ day, visitor }) => `${day} ${visitor}`)).size,
      );
      expect(answer.views_over_time).toHaveLength(periods[answer.period]);
    }
  });
  await fc.assert(property, { numRuns: 25 });
});

test('a day is counted once, even if it is rolled up repeatedly and by concurrent workers', async () => {
  await using app = await startSite();
  await insertViews(app.database, [app.view(), app.view({ visitor: '2' })]);
  app.clock.advance({ days: 1 });
  await Promise.all([app.rollUp(), app.rollUp(), app.rollUp()]);
  await app.rollUp();
  expect(await app.read('7d')).toMatchObject({ total_views: 2, unique_visitors: 2 });
  expect(await app.count('page_view_days')).toBe(2);
});

test('today is not rolled up, and yesterday only after the first minute of the day', async () => {
  await using app = await startSite();
  await insertViews(app.database, [app.view()]);
  await app.rollUp();
  expect(await app.count('page_view_rollups')).toBe(0);
  app.clock.advance({ hours: 14, minutes: 55, seconds: 30 });
  expect(app.today()).toBe('2026-02-01');
  await app.rollUp();
  expect(await app.count('page_view_rollups')).toBe(0);
  await insertViews(app.database, [app.view({ day: '2026-01-31' })]);
  app.clock.advance({ minutes: 1 });
  await app.rollUp();
  expect(await app.count('page_view_rollups')).toBe(1);
  expect(await app.read('7d')).toMatchObject({ total_views: 2 });
});

test('raw views are deleted with their partition after 90 days, and the counts of that day stay', async () => {
  await using app = await startSite();
  const first = app.today();
  await insertViews(app.database, [app.view()]);
  app.clock.advance({ days: 89 });
  await app.rollUp();
  expect(await partitionDays(app.database)).toContain(first);
  expect(await app.read('90d')).toMatchObject({ from: first, total_views: 1 });
  app.clock.advance({ days: 1 });
  await app.rollUp();
  expect(await partitionDays(app.database)).not.toContain(first);
  expect(await app.count('page_views')).toBe(0);
  expect(await app.count('page_view_days')).toBe(2);
});

test('the partitions of today and tomorrow are created in advance', async () => {
  await using app = await startSite();
  await app.rollUp();
  expect(await partitionDays(app.database)).toEqual(['2026-01-31', '2026-02-01']);
});

test('labels of every length are rolled up', async () => {
  await using app = await startSite();
  // Texts that do not compress, so that they exceed the maximum size of an index entry.
  const noise = (length: number) =>
    Array.from({ length }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000))).join('');
  await insertViews(app.database, [
    app.view({
      path: `/${noise(1_999)}`,
      referrer: noise(2_000),
      utm_source: noise(200),
      utm_medium: '\u0001'.repeat(200),
      utm_campaign: noise(200),
    }),
  ]);
  const before = await app.read('7d');
  app.clock.advance({ days: 1 });
  await app.rollUp();
  const { popular_pages, top_referrers, utm } = await app.read('7d');
  expect({ popular_pages, top_referrers, utm }).toEqual({
    popular_pages: before.popular_pages,
    top_referrers: before.top_referrers,
    utm: before.utm,
  });
  expect(popular_pages).toHaveLength(1);
});

test('a day is counted before the roll-up writes, so that events of other writers stay visible', async () => {
  await using site = await startSite();
  await insertViews(site.database, [site.view()]);
  const day = site.today();
  site.clock.advance({ hours: 24 });
  const em = site.database.em.fork();
  const waiting = `select backend_xid is null as is_reading from pg_stat_activity
    where datname = current_database() and wait_event = 'relation' and query ilike '%page_view_days%'`;
  await em.begin();
  await em.execute(`lock table page_views_${day.replaceAll('-', '')} in access exclusive mode`);
  const rolledUp = site.rollUp();
  await expect.poll(() => site.database.em.fork().execute(waiting)).toEqual([{ is_reading: true }]);
  await em.commit();
  await rolledUp;
  expect(await site.count('page_view_rollups')).toBe(1);
});
