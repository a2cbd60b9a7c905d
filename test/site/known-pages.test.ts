import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { demoPages } from '../support/demo-site.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import { signInByMail } from '../support/members.ts';
import { firefox } from '../support/rpc.ts';
import { expectUsedUp, startComparing } from '../support/ways.ts';

// A page that was answered from memory is answered without its route from then on. Nobody can tell the difference.

const comparing = await startComparing();
afterAll(() => comparing[Symbol.asyncDispose]());
const { app, ask, known, unknown, expectSame } = comparing;
await fillWithExample(app.deps, await app.seed.ownSite());

/** One of each kind, each door, and each text for machines. */
const paths = [
  ...demoPages.filter((path) => path !== '/nothing'),
  '/posts?page=1',
  '/posts/type-safe-apis.md',
  '/feed.xml',
  '/feed.json',
  '/sitemap.xml',
  '/robots.txt',
  '/llms.txt',
  '/favicon.svg',
];

describe.for(paths)('%s', (path) => {
  let address: string;
  beforeAll(async () => {
    address = await known(path);
  });

  test.for<[title: string, headers: Record<string, string>]>([
    ['as it is', {}],
    ['to a browser', { Accept: 'text/html', 'User-Agent': firefox, Referer: 'https://news.example/' }],
    ['to one who takes no coding', { 'Accept-Encoding': 'identity' }],
    ['with cookies of others', { Cookie: 'theme=dark; remember=member=1; members=x' }],
    ['with a key, which pages do not read', { Authorization: 'Bearer svc_live_nothing' }],
    ['at an address without a name', { Host: '127.0.0.1' }],
    ['at a host in capitals, with a final dot', { Host: 'LOCALHOST.:80' }],
    ['with a tag of something else', { 'If-None-Match': '"other", W/"another"' }],
  ])('from memory, %s', async ([, headers]) => {
    const { answer, ways } = await expectSame(path, address, { headers });
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    expect(ways).toEqual([true, false]);
  });

  test.for(['gzip', 'br', 'gzip;q=0.5, br;q=0'])('from memory, in %s', async (coding) => {
    const headers = { 'Accept-Encoding': coding };
    // Made when it is first asked for.
    await ask({ path: unknown(path), headers });
    expect((await expectSame(path, address, { headers })).ways).toEqual([true, false]);
  });

  test('from memory, to one who has it', async () => {
    const { answer } = await ask({ path: address });
    const [, etag = ''] = /^etag: (.*)$/m.exec(answer) ?? [];
    const unchanged = await expectSame(path, address, { headers: { 'If-None-Match': etag } });
    expect(unchanged.answer).toMatch(/^HTTP\/1.1 304 Not Modified/);
    expect(unchanged.ways).toEqual([true, false]);
  });

  test.for<[title: string, asking: { method?: string; headers?: Record<string, string> }]>([
    ['its head alone', { method: 'HEAD' }],
    ['with another method', { method: 'DELETE' }],
    ['at no host', { headers: { Host: 'a b' } }],
    ['with a body', { headers: { 'Content-Length': '0' } }],
    ['with a header twice', { headers: { Authorization: 'Bearer a', authorization: 'Bearer b' } }],
  ])('as ever, %s', async ([, asking]) => {
    await expectSame(path, address, asking);
  });
});

test('members get what is theirs, on an address that is known for strangers', async () => {
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
  // What is the same for everybody is sent to members too.
  const feed = await site.known('/feed.xml');
  const headers = { Cookie: `member=${token}` };
  expect((await site.expectSame('/feed.xml', feed, { headers })).ways).toEqual([true, false]);
});

test('one address is another page at each site, and none where there is no site', async () => {
  await using several = await startComparing();
  const { seed } = several.app;
  const hosts = ['ada.example', 'eve.example'];
  const addresses = new Map<string, string>();
  for (const host of hosts) {
    const key = await seed.key({ siteId: await seed.site({ custom_domain: host }), scopes: ['write'] });
    await several.app.post('/api/v1/posts', { key, body: { title: `Of ${host}`, slug: 'a-post' } });
    addresses.set(host, await several.known('/posts/a-post', { Host: host }));
  }
  for (const address of addresses.values())
    for (const host of hosts) {
      const { answer } = await several.expectSame('/posts/a-post', address, { headers: { Host: host } });
      expect(answer).toContain(`Of ${host}`);
    }
  const nowhere = { headers: { Host: 'nobody.example', Accept: 'text/html' } };
  const { answer } = await several.expectSame('/posts/a-post', addresses.get('ada.example') ?? '', nowhere);
  expect(answer).toMatch(/^HTTP\/1.1 404/);
});

test('what is written, taken back or set is seen by the next request', async () => {
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

test('each request counts, the one that is refused like any other', async () => {
  await using limited = await startComparing({ limits: { site: { perMinute: 60, burst: 6 } } });
  await limited.app.seed.ownSite();
  const path = await limited.known('/');
  const headers = { Accept: 'text/html' };
  const answers = [];
  for (let times = 0; times < 4; times++) answers.push(await limited.ask({ path, headers }));
  expectUsedUp(answers);
  const usual = await limited.ask({ path: limited.unknown('/'), headers });
  expect(answers[3]?.answer).toBe(usual.answer);
  limited.app.clock.advance({ seconds: 1 });
  expect((await limited.ask({ path, headers })).isRouted).toBe(false);
});

test('over https it says so, and plain http is refused', async () => {
  const config = { publicUrl: new URL('https://site.example'), trustProxy: ['127.0.0.0/8'] };
  await using behind = await startComparing({ config });
  await behind.app.seed.ownSite();
  const path = behind.unknown('/');
  const over = (protocol: string, headers = {}) =>
    behind.ask({ path, headers: { 'X-Forwarded-Proto': protocol, ...headers } });
  const answers = [await over('https'), await over('https'), await over('https')];
  expect(answers.map(({ isRouted }) => isRouted)).toEqual([true, true, false]);
  expect(answers[2]?.answer).toBe(answers[1]?.answer);
  expect(answers[2]?.answer).toContain('strict-transport-security: max-age=');
  expect((await over('http')).answer).toContain('HTTPS is required');
  for (const name of ['member', '__Host-member'])
    expect((await over('https', { Cookie: `${name}=svc_member_x` })).isRouted).toBe(true);
});

test('each view counts, whichever way it was answered', async () => {
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
