import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { answerTo, asClient, internalSpellings, tells } from '../support/internal-spellings.ts';
import { createVisitor } from '../support/visitor.ts';

test('page views of people are counted after the response, without cookies', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:analytics'] });
  await app.post('/api/v1/posts', { key, body: { title: 'A post', slug: 'a-post' } });
  const visit = createVisitor(app.baseUrl);
  const referer = 'https://news.example.com/item?id=1';
  const first = await visit('/posts/a-post?utm_source=letter&email=ada@example.com', {
    headers: { referer },
  });
  expect(first.headers['set-cookie']).toBeUndefined();
  const etag = String((await visit('/posts/a-post')).headers.etag);
  expect((await visit('/posts/a-post', { headers: { 'if-none-match': etag } })).status).toBe(304);
  await visit('/posts/a-post', { method: 'HEAD' });
  await visit('/posts/a-post', { headers: { 'sec-purpose': 'prefetch' } });
  await visit('/posts/a-post', { headers: { 'user-agent': 'Googlebot/2.1' } });
  await visit('/posts/none');
  await visit('/feed.xml');
  await visit('/');
  const analytics = await eventually(async () => {
    const { body } = await app.get('/api/v2/analytics', { key });
    const { total_views, unique_visitors, popular_pages, top_referrers, utm } = body as Record<
      string,
      unknown
    >;
    return total_views === 4 && { unique_visitors, popular_pages, top_referrers, utm };
  });
  expect(analytics).toEqual({
    unique_visitors: 1,
    popular_pages: [
      { path: '/posts/a-post', views: 3 },
      { path: '/', views: 1 },
    ],
    top_referrers: [{ referrer: 'news.example.com', views: 1 }],
    utm: [{ source: 'letter', medium: '', campaign: '', views: 1 }],
  });
});

test('a TLS proxy learns which domains are known, also over plain HTTP', async () => {
  await using app = await startApp({ config: { publicUrl: new URL('https://sites.example.com') } });
  await app.seed.site({ custom_domain: 'ada.example.org', subdomain: 'ada' });
  const request = async (domain: string) => (await app.get(`/internal/domain?domain=${domain}`)).status;
  for (const known of ['ada.example.org', 'ADA.example.org', 'ada.sites.example.com', 'sites.example.com'])
    expect([known, await request(known)]).toEqual([known, 200]);
  for (const unknown of ['example.org', 'eve.sites.example.com', 'x.ada.example.org', '', '%00'])
    expect([unknown, await request(unknown)]).toEqual([unknown, 404]);
  expect((await app.get('/internal/domain')).status).toBe(400);
});

test('no spelling of the internal path gives a client of a proxy an answer', async () => {
  await using app = await startApp({
    config: { publicUrl: new URL('https://sites.example.com'), trustProxy: ['127.0.0.1/32'] },
  });
  const tell = async (headers: string) => {
    const answers = internalSpellings.map((target) =>
      answerTo(app.baseUrl, asClient(target, '1.1', headers)),
    );
    return (await Promise.all(answers)).filter(tells).length;
  };
  expect(internalSpellings.length).toBeGreaterThan(200);
  expect(await tell('')).toBeGreaterThan(10);
  const forwarded = 'X-Forwarded-Proto: https\r\n';
  expect(await tell(`${forwarded}X-Forwarded-For: 192.0.2.7\r\n`)).toBe(0);
  expect(await tell(`${forwarded}X-Forwarded-For: \r\n`)).toBe(0);
  expect(await tell(`${forwarded}Forwarded: for=127.0.0.1\r\n`)).toBe(0);
});

test('a member cookie is sent only over HTTPS if the site uses it', async () => {
  await using app = await startApp({
    config: { publicUrl: new URL('https://sites.example.com'), trustProxy: ['127.0.0.1/32'] },
  });
  await app.seed.ownSite();
  let code = '';
  app.deps.mailer.send = async ({ text }) => {
    code = /\d{6}/.exec(text)?.[0] ?? '';
  };
  const visit = createVisitor(app.baseUrl, 'sites.example.com');
  const headers = { 'x-forwarded-proto': 'https', origin: 'https://sites.example.com' };
  const email = 'grace@example.com';
  await visit('/sign-in', { form: { email }, headers });
  const entered = await visit('/sign-in', { form: { email, code }, headers });
  expect(entered.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-browser=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=31536000$/,
    ),
    expect.stringMatching(
      /^__Host-member=svc_member_\w+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000$/,
    ),
  ]);
});
