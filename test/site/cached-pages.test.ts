import { expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { startComparing } from '../support/compare-routes.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';
import { firefox } from '../support/rpc.ts';

// After the first response from memory, a page is served without its route. These tests cover the consequences for
// pages; from-memory.test.ts covers the rest.

test('a member never gets the page that is cached for visitors', async () => {
  await using mail = await startMailServer();
  await using site = await startComparing({ smtpUrl: mail.url });
  await fillWithExample(site.app.deps, await site.app.seed.ownSite());
  const { token } = await signInByMail(site.app, mail, { email: 'grace@example.com' });
  const address = await site.known('/');
  const [strangers, members] = [
    await site.ask({ path: address }),
    await site.ask({ path: address, headers: { Cookie: `a=b; member=${token}` } }),
  ];
  expect([strangers.isRouted, members.isRouted]).toEqual([false, true]);
  expect(members.answer).toContain('cache-control: private, no-store');
  expect(members.answer).toContain('/account');
  expect(strangers.answer).not.toContain('/account');
  // Responses that are equal for all visitors are also served to members from memory.
  const feed = await site.known('/feed.xml');
  const headers = { Cookie: `member=${token}` };
  expect((await site.expectSame('/feed.xml', feed, { headers })).ways).toEqual([true, false]);
});

test('a path shows a different page on each site, and 404 on a host without a site', async () => {
  await using processes = await startComparing();
  const { seed } = processes.app;
  const hosts = ['ada.example', 'eve.example'];
  const addresses = new Map<string, string>();
  for (const host of hosts) {
    const key = await seed.key({ siteId: await seed.site({ custom_domain: host }), scopes: ['write'] });
    await processes.app.post('/api/v1/posts', { key, body: { title: `Of ${host}`, slug: 'a-post' } });
    addresses.set(host, await processes.known('/posts/a-post', { Host: host }));
  }
  for (const address of addresses.values())
    for (const host of hosts) {
      const { answer } = await processes.expectSame('/posts/a-post', address, { headers: { Host: host } });
      expect(answer).toContain(`Of ${host}`);
    }
  const nowhere = { headers: { Host: 'nobody.example', Accept: 'text/html' } };
  const { answer } = await processes.expectSame('/posts/a-post', addresses.get('ada.example') ?? '', nowhere);
  expect(answer).toMatch(/^HTTP\/1.1 404/);
});

test('a write, an unpublication or a setting is visible in the next response', async () => {
  await using changing = await startComparing();
  const { app } = changing;
  const [siteId, key] = [await app.seed.ownSite(), await app.seed.key({ scopes: ['write'] })];
  const body = { title: 'First words', slug: 'a-post' };
  const { body: created } = await app.post('/api/v1/posts', { key, body });
  const path = `/api/v1/posts/${(created as { id: string }).id}`;
  const [home, post] = [await changing.known('/'), await changing.known('/posts/a-post')];
  const see = async (address: string) => (await changing.ask({ path: address })).answer;
  await app.patch(path, { key, body: { title: 'Second words' } });
  expect([await see(home), await see(post)]).toEqual(Array(2).fill(expect.stringContaining('Second words')));
  await app.deps.database.em.execute(`update sites set language = 'de' where id = ?`, [siteId]);
  expect([await see(home), await see(post)]).toEqual(
    Array(2).fill(expect.stringContaining('<html lang="de"')),
  );
  await app.patch(path, { key, body: { is_draft: true } });
  expect(await see(home)).not.toContain('Second words');
  expect(await see(post)).toMatch(/^HTTP\/1.1 404/);
});

test('each view is counted, whether the response came from memory or not', async () => {
  await using viewed = await startComparing();
  const key = await viewed.app.seed.key({ scopes: ['read:analytics'] });
  const path = '/?utm_source=letter';
  const headers = { 'User-Agent': firefox, Referer: 'https://news.example.com/item?id=1' };
  const ways = [];
  for (let times = 0; times < 4; times++) ways.push((await viewed.ask({ path, headers })).isRouted);
  expect(ways).toEqual([true, true, false, false]);
  for (const unseen of [{ 'Sec-Purpose': 'prefetch' }, { 'User-Agent': 'Googlebot/2.1' }])
    expect((await viewed.ask({ path, headers: { ...headers, ...unseen } })).isRouted).toBe(false);
  const analytics = await eventually(async () => {
    const { body } = await viewed.app.get('/api/v2/analytics', { key });
    return (body as { total_views: number }).total_views === 4 && body;
  });
  expect(analytics).toMatchObject({
    unique_visitors: 1,
    popular_pages: [{ path: '/', views: 4 }],
    top_referrers: [{ referrer: 'news.example.com', views: 4 }],
    utm: [{ source: 'letter', medium: '', campaign: '', views: 4 }],
  });
});
