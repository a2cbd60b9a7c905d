import { expect, test } from 'vitest';
import { rollUpViews } from '../../worker/jobs/roll-up.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { firefox, refusal, visitorClient } from '../support/rpc.ts';

// Page views are counted without cookies, and without storing addresses or user agents.

interface Answered {
  total_views: number;
  unique_visitors: number;
  views_over_time: { date: string; views: number; visitors: number }[];
  popular_pages: object[];
  top_referrers: object[];
  utm: object[];
}

async function startSite() {
  const app = await startApp({ config: { trustProxy: ['127.0.0.1/32'] } });
  const key = await app.seed.key({ scopes: ['read:analytics'] });
  return {
    ...app,
    /** Sends a page view from an address with a user agent. */
    view: (page: object, { address = '203.0.113.5', agent = firefox, host = '' } = {}) =>
      visitorClient(app.baseUrl, {
        'user-agent': agent,
        'x-forwarded-for': address,
        ...(host && { host }),
      }).site.analytics.track.mutate({ path: '/', ...page }),
    analytics: async (period = '7d') =>
      (await app.get(`/api/v2/analytics?period=${period}`, { key })).body as Answered,
  };
}

const chrome = firefox.replace('Firefox', 'Chrome');

test('a view is counted by page, referring host and UTM parameters', async () => {
  await using app = await startSite();
  expect(
    await app.view({
      path: '/posts/hello',
      referrer: 'https://user:secret@News.Example.com:8443/item?id=1#top',
      utm_source: 'newsletter',
      utm_medium: 'email',
      utm_campaign: 'launch',
    }),
  ).toEqual({});
  expect(await app.analytics()).toMatchObject({
    total_views: 1,
    unique_visitors: 1,
    popular_pages: [{ path: '/posts/hello', views: 1 }],
    top_referrers: [{ referrer: 'news.example.com', views: 1 }],
    utm: [{ source: 'newsletter', medium: 'email', campaign: 'launch', views: 1 }],
  });
});

test('query strings and fragments are removed from the path', async () => {
  await using app = await startSite();
  for (const path of ['/a?token=1', '/a#b', '/a?b\n#c', '/a']) await app.view({ path });
  expect(await app.analytics()).toMatchObject({ popular_pages: [{ path: '/a', views: 4 }] });
  const stored = await app.deps.database.em.execute('select distinct path from page_views');
  expect(stored).toEqual([{ path: '/a' }]);
});

test("the site's own host, and values that are not page addresses, are ignored as referrers", async () => {
  await using app = await startSite();
  await app.seed.ownSite();
  for (const referrer of [
    'http://ada.example.com/x',
    'about:blank',
    'nonsense',
    'mailto:a@example.com',
    '',
    null,
  ])
    await app.view({ referrer }, { host: 'ada.example.com' });
  expect(await app.analytics()).toMatchObject({ total_views: 6, top_referrers: [] });
});

test('a view with any UTM parameter is listed, a view without one is not', async () => {
  await using app = await startSite();
  await app.view({ utm_source: 'x"],[' });
  await app.view({ utm_source: '', utm_medium: null });
  await app.view({});
  expect(await app.analytics()).toMatchObject({
    total_views: 3,
    utm: [{ source: 'x"],[', medium: '', campaign: '', views: 1 }],
  });
});

test('views of bots and callers without a user agent are accepted and dropped', async () => {
  await using app = await startSite();
  await app.seed.ownSite();
  const bots = [
    'Googlebot/2.1 (+http://www.google.com/bot.html)',
    'curl/8.5.0',
    'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
    '',
  ];
  for (const agent of bots) expect([agent, await app.view({}, { agent })]).toEqual([agent, {}]);
  expect(await app.deps.database.em.execute('select * from page_views')).toEqual([]);
});

test('an invalid or too long path is refused, and nothing is stored', async () => {
  await using app = await startSite();
  await app.seed.ownSite();
  const long = 'x'.repeat(2_000);
  const wrong: [field: string, page: object][] = [
    ['path', { path: `/${long}` }],
    ['path', { path: 'posts' }],
    ['path', { path: '' }],
    ['path', { path: '/\0' }],
    ['referrer', { referrer: `https://example.com/${long}` }],
    ['utm_source', { utm_source: 'x'.repeat(201) }],
    ['utm_medium', { utm_medium: 'x'.repeat(201) }],
    ['utm_campaign', { utm_campaign: 'x'.repeat(201) }],
    ['utm_campaign', { utm_campaign: '\ud800' }],
    ['visitor', { visitor: 'me' }],
  ];
  for (const [field, page] of wrong) {
    const message = expect.stringContaining(field);
    expect(await refusal(app.view(page))).toEqual({ code: 'validation_failed', message });
  }
  expect(await app.deps.database.em.execute('select * from page_views')).toEqual([]);
});

test('a visitor is a network address with a user agent, counted once a day', async () => {
  await using app = await startSite();
  const visitors = [
    { address: '203.0.113.5' },
    { address: '203.0.113.5' },
    { address: '203.0.113.6' },
    { address: '203.0.113.5', agent: chrome },
    { address: '2001:db8:1:1::5' },
    { address: '2001:db8:1:1::6' },
    { address: '2001:db8:1:2::5' },
  ];
  for (const visitor of visitors) await app.view({}, visitor);
  expect(await app.analytics()).toMatchObject({ total_views: 7, unique_visitors: 5 });
  app.clock.advance({ days: 1 });
  await app.view({}, { address: '203.0.113.5' });
  expect(await app.analytics()).toMatchObject({ total_views: 8, unique_visitors: 6 });
});

test('concurrent views are all counted', async () => {
  await using app = await startSite();
  await app.seed.ownSite();
  const many = Array.from({ length: 60 }, (_, n) =>
    app.view({ path: `/${n % 3}` }, { address: `203.0.113.${n}` }),
  );
  await Promise.all(many);
  expect(await app.analytics()).toMatchObject({
    total_views: 60,
    unique_visitors: 60,
    popular_pages: ['/0', '/1', '/2'].map((path) => ({ path, views: 20 })),
  });
});

test('a day begins at midnight UTC, to the millisecond', async () => {
  await using app = await startSite();
  app.clock.advance({ hours: 14, minutes: 54, seconds: 59, ms: 876 });
  expect(app.clock.now().toISOString()).toBe('2026-01-31T23:59:59.999Z');
  await app.view({});
  app.clock.advance({ ms: 1 });
  await app.view({});
  await app.view({});
  expect((await app.analytics()).views_over_time.slice(-2)).toEqual([
    { date: '2026-01-31', views: 1, visitors: 1 },
    { date: '2026-02-01', views: 2, visitors: 1 },
  ]);
});

test('each day has its own salt, which is deleted after the day', async () => {
  await using app = await startSite();
  const salts = () =>
    app.deps.database.em.execute<{ day: string; salt: string }[]>(
      'select day::text, salt from page_view_salts order by day',
    );
  await app.view({});
  const [first] = await salts();
  app.clock.advance({ days: 1 });
  await app.view({});
  const both = await salts();
  expect(both.map(({ day }) => day)).toEqual(['2026-01-31', '2026-02-01']);
  expect(both[1]?.salt).not.toBe(first?.salt);
  const visitors = await app.deps.database.em.execute('select distinct visitor from page_views');
  expect(visitors).toHaveLength(2);
  await rollUpViews(app.deps.database, app.clock.now());
  expect(await salts()).toEqual([both[1]]);
});

test('one person has different hashes on different sites', async () => {
  await using app = await startSite();
  await app.seed.site({ subdomain: 'one' });
  await app.seed.site({ subdomain: 'two' });
  for (const host of ['one.localhost', 'two.localhost']) await app.view({}, { host });
  const visitors = await app.deps.database.em.execute('select distinct visitor from page_views');
  expect(visitors).toHaveLength(2);
});

test('no table contains an address or user agent', async () => {
  await using app = await startSite();
  const agent = `${firefox} Planted/7.7`;
  await app.view({ referrer: 'https://news.example.com/' }, { address: '203.0.113.77', agent });
  await app.view({}, { address: '2001:db8:aaaa:bbbb::77', agent });
  app.clock.advance({ days: 1 });
  await rollUpViews(app.deps.database, app.clock.now());
  const everything = await everyRow(app);
  expect(everything).toContain('news.example.com');
  for (const trace of ['203.0.113.77', '2001:db8:aaaa', 'Planted/7.7', 'Firefox'])
    expect(everything).not.toContain(trace);
});

/** Returns the rows of all tables as text. */
async function everyRow({ deps }: Pick<TestApp, 'deps'>): Promise<string> {
  const tables = await deps.database.em.execute<{ name: string }[]>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'graphile_worker')`,
  );
  const rows = tables.map(({ name }) => deps.database.em.execute(`select to_jsonb(t) as row from ${name} t`));
  return JSON.stringify(await Promise.all(rows));
}
