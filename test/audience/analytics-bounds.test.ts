import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { readAnalytics } from '../../server/audience/analytics/read-views.ts';
import type { PageView } from '../../server/audience/analytics/store-views.ts';
import { insertViews } from '../../server/audience/analytics/store-views.ts';
import { createDeps } from '../../server/start/compose.ts';
import { viewLimits as bounds } from '../../shared/contract/features/analytics.ts';
import { retentionDays } from '../../shared/contract/limits.ts';
import { dayAfter, dayOf } from '../../shared/db/page-views.ts';
import { prune } from '../../worker/jobs/prune.ts';
import { rollUpViews } from '../../worker/jobs/roll-up.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { firefox, refusal, visitorClient } from '../support/rpc.ts';

// Bounds of analytics: visitors send any labels, but a site stores a limited number, and a process fetches
// only the highest.

async function startSite(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options);
  const siteId = await app.seed.ownSite();
  const { database } = app.deps;
  const view = (view: Partial<PageView> = {}): PageView => ({
    site_id: siteId,
    day: dayOf(app.clock.now()),
    path: '/',
    referrer: '',
    utm_source: '',
    utm_medium: '',
    utm_campaign: '',
    visitor: '1',
    ...view,
  });
  return {
    ...app,
    siteId,
    database,
    view,
    /** Stores views in several concurrent statements, as several processes do. */
    store: (views: readonly PageView[], together = 700) =>
      Promise.all(
        Array.from({ length: Math.ceil(views.length / together) }, (_, n) =>
          insertViews(database, views.slice(n * together, (n + 1) * together)),
        ),
      ),
    /** Reads analytics as a server that has just started, with empty caches. */
    read: () => readAnalytics(createDeps(app.deps), siteId, '7d'),
    rollUp: () => rollUpViews(database, app.clock.now()),
    rows: <Row extends object>(query: string) => database.em.execute<Row[]>(query),
  };
}

const range = <T>(length: number, item: (n: number) => T) => Array.from({ length }, (_, n) => item(n));

test('a site stores at most 5,000 paths, 1,000 referrers and 1,000 campaigns a day, also concurrently; the rest is (other)', async () => {
  await using app = await startSite();
  const { path, referrer, utm } = bounds.labelsPerDay;
  const views = range(path + 900, (n) =>
    app.view({ path: `/${n}`, referrer: `${n}.example.com`, utm_source: 'mail', utm_campaign: `${n}` }),
  );
  const elsewhere = await app.seed.site();
  await app.store(views);
  await app.store(
    range(20, () => app.view({ path: '/late', referrer: 'late.example.com', utm_medium: 'late' })),
  );
  await app.store([
    app.view({ site_id: elsewhere, path: '/late' }),
    app.view({ day: '2026-02-01', path: '/late' }),
  ]);
  const count = async () => {
    const [counts] = await app.rows<Record<string, number>>(`
      select count(distinct path)::integer as path, count(distinct nullif(referrer, ''))::integer as referrer,
        count(distinct nullif(utm_source || utm_medium || utm_campaign, ''))::integer as utm
      from page_views where site_id = '${app.siteId}' and day = '2026-01-31'`);
    return counts;
  };
  expect(await count()).toEqual({ path: path + 1, referrer: referrer + 1, utm: utm + 1 });
  const before = await app.read();
  expect(before).toMatchObject({ total_views: views.length + 20 });
  expect(before.popular_pages.slice(0, 2)).toEqual([
    { path: '(other)', views: 920 },
    { path: expect.stringMatching(/^\/\d+$/), views: 1 },
  ]);
  expect(before.top_referrers[0]).toEqual({ referrer: '(other)', views: views.length + 20 - referrer });
  const triple = { source: '(other)', medium: '(other)', campaign: '(other)' };
  expect(before.utm[0]).toEqual({ ...triple, views: views.length + 20 - utm });
  app.clock.advance({ days: 1 });
  await app.rollUp();
  const after = await app.read();
  expect(after.popular_pages.slice(0, 1)).toEqual(before.popular_pages.slice(0, 1));
  expect(after.top_referrers).toEqual(before.top_referrers);
  expect(after.utm).toEqual(before.utm);
  const kept = await app.rows(`
    select dimension, count(*)::integer as labels from page_view_days
    where site_id = '${app.siteId}' group by dimension order by dimension`);
  expect(kept).toEqual([
    { dimension: 'path', labels: path + 1 },
    { dimension: 'referrer', labels: referrer + 1 },
    { dimension: 'total', labels: 1 },
    { dimension: 'utm', labels: utm + 1 },
  ]);
  const other = await app.rows(
    `select path from page_views where site_id = '${elsewhere}' or day = '2026-02-01'`,
  );
  expect(other).toEqual([{ path: '/late' }, { path: '/late' }]);
});

test('a path with stored views keeps its own count, however many other paths follow', async () => {
  await using app = await startSite();
  await app.store([app.view({ path: '/first' })]);
  await app.store(range(bounds.labelsPerDay.path + 100, (n) => app.view({ path: `/${n}` })));
  await app.store(range(30, () => app.view({ path: '/first' })));
  expect((await app.read()).popular_pages.slice(0, 2)).toEqual([
    { path: '(other)', views: 101 },
    { path: '/first', views: 31 },
  ]);
});

test('views of a day that were stored without the limit are counted within it, most viewed labels first', async () => {
  await using app = await startSite();
  await app.store([app.view({ path: '/seen' })]);
  await app.rows(`
    insert into page_views (site_id, day, path, referrer, utm_source, utm_medium, utm_campaign, visitor)
    select '${app.siteId}', '2026-01-31', '/' || n % 6000, '', '', '', '', 1 from generate_series(0, 6999) n`);
  const counts = async () => (await app.read()).popular_pages.slice(0, 2);
  const before = await counts();
  expect(before).toEqual([
    { path: '(other)', views: 1_001 },
    { path: '/0', views: 2 },
  ]);
  app.clock.advance({ days: 1 });
  await app.rollUp();
  expect(await counts()).toEqual(before);
});

test('a process fetches only the labels of the answer, however many are stored', async () => {
  await using app = await startSite();
  const today = dayOf(app.clock.now());
  await app.rows(`
    insert into page_view_rollups select date '${today}' - n from generate_series(1, 6) n;
    insert into page_view_days (site_id, day, dimension, label, views, visitors)
    select '${app.siteId}', date '${today}' - 1 - n % 6, 'path', '/' || n, n, 0 from generate_series(1, 20000) n;
    insert into page_view_days values ('${app.siteId}', date '${today}' - 1, 'total', '', 7, 7)`);
  await app.store([app.view({ path: '/20000' }), app.view({ path: '/7' })]);
  const days = range(7, (n) => dayAfter(today, n - 6));
  const deps = createDeps(app.deps);
  for (const attempt of ['first', 'again']) {
    const counts = await deps.viewCounts.count(app.siteId, days);
    expect([attempt, counts.length]).toEqual([attempt, 12]);
    expect(counts[0]).toEqual({ dimension: 'path', day: null, label: '/20000', views: 20_001, visitors: 0 });
  }
});

test('cached counts of finished days give the same answer as all counts, whatever views arrive in between', async () => {
  await using app = await startSite();
  const today = dayOf(app.clock.now());
  await app.rows(`
    insert into page_view_rollups select date '${today}' - n from generate_series(1, 6) n;
    insert into page_view_days (site_id, day, dimension, label, views, visitors)
    select '${app.siteId}', date '${today}' - d, dimension, dimension || n, 1 + n * 7 * d % 23, 0
    from generate_series(1, 6) d, generate_series(1, 60) n, unnest(array['path', 'referrer']) dimension`);
  const highest = (dimension: string, column: string) =>
    app.rows<{ label: string; views: number }>(`
      select label, sum(views)::integer as views from (
        select label, views from page_view_days where dimension = '${dimension}'
        union all select ${column}, 1 from page_views
      ) every group by label order by sum(views) desc, label collate "C" limit 10`);
  for (let round = 0; round < 12; round++) {
    const label = (n: number) => (n * 37 + round * 11) % (40 + 5 * round);
    await app.store(
      range(50 * round, (n) => app.view({ path: `path${label(n)}`, referrer: `referrer${label(2 * n)}` })),
    );
    const { popular_pages, top_referrers } = await readAnalytics(app.deps, app.siteId, '7d');
    expect(popular_pages.map(({ path: label, views }) => ({ label, views }))).toEqual(
      await highest('path', 'path'),
    );
    expect(top_referrers.map(({ referrer: label, views }) => ({ label, views }))).toEqual(
      await highest('referrer', 'referrer'),
    );
  }
});

test('concurrent requests for the same analytics share one count', async () => {
  await using app = await startSite();
  const lock = app.database.em.fork();
  await lock.begin();
  await lock.execute('lock table page_view_days in access exclusive mode');
  const answers = Promise.all(range(30, () => readAnalytics(app.deps, app.siteId, '7d')));
  const waiting = async () => {
    const [row] = await app.rows<{ n: number }>(`
      select count(*)::integer as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return row?.n;
  };
  await eventually(async () => (await waiting()) === 1);
  await lock.commit();
  expect(new Set((await answers).map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test('if the database falls behind, the excess views are refused, logged and counted; all others are stored', async () => {
  const metrics = new Registry();
  await using app = await startSite({ metrics });
  const visit = { deps: app.deps, siteId: app.siteId, client: '203.0.113.5', host: 'x', userAgent: firefox };
  const outcomes = await Promise.allSettled(
    range(10_100, () => app.deps.tracker.track(visit, { path: '/' })),
  );
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(100);
  expect(refused[0]).toMatchObject({ reason: { errorCode: 'database_busy', retryAfter: 1 } });
  expect(await metrics.metrics()).toContain('page_views_dropped_total 100');
  expect(await readAnalytics(app.deps, app.siteId, '7d')).toMatchObject({ total_views: 10_000 });
});

test('a path of 500 characters is accepted, and one of 501 refused', async () => {
  await using app = await startSite();
  const { track } = visitorClient(app.baseUrl).site.analytics;
  expect(await track.mutate({ path: `/${'x'.repeat(499)}` })).toEqual({});
  const message = expect.stringMatching(/^path: /);
  expect(await refusal(track.mutate({ path: `/${'x'.repeat(500)}` }))).toEqual({
    code: 'validation_failed',
    message,
  });
});

test('a referrer whose host is too long is ignored', async () => {
  await using app = await startSite();
  const { track } = visitorClient(app.baseUrl).site.analytics;
  await track.mutate({ path: '/', referrer: `https://${'x.'.repeat(200)}example.com/` });
  expect(await app.read()).toMatchObject({ total_views: 1, top_referrers: [] });
});

test('daily counts are deleted after two years, and the lists of stored labels after their day', async () => {
  await using app = await startSite();
  const today = dayOf(app.clock.now());
  const kept = dayAfter(today, 1 - retentionDays.viewCounts);
  await app.rows(`
    insert into page_view_rollups values ('${kept}'), (date '${kept}' - 1);
    insert into page_view_days (site_id, day, dimension, label, views, visitors)
    values ('${app.siteId}', '${kept}', 'path', '/', 1, 0), ('${app.siteId}', date '${kept}' - 1, 'path', '/', 1, 0)`);
  await app.store([
    app.view({ day: dayAfter(today, -2) }),
    app.view({ day: dayAfter(today, -1) }),
    app.view(),
  ]);
  await prune(app.database, app.clock.now());
  const daysOf = async (table: string) =>
    (await app.rows<{ day: string }>(`select day::text from ${table} order by day`)).map(({ day }) => day);
  expect(await daysOf('page_view_rollups')).toEqual([kept]);
  expect(await daysOf('page_view_days')).toEqual([kept]);
  for (const table of ['page_view_labels', 'page_view_label_counts'])
    expect([table, await daysOf(table)]).toEqual([table, [dayAfter(today, -1), today]]);
});
