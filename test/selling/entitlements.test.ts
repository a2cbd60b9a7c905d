import { request } from 'undici';
import { afterAll, expect, inject, test } from 'vitest';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { countsTestSales } from '../../shared/selling/test-sales.ts';
import { startApp, type TestApp, type TestAppOptions } from '../support/app.ts';
import { countRoundTrips } from '../support/count-round-trips.ts';
import { withPort } from '../support/delivery-stage.ts';
import { createCaller } from '../support/http.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { signInByMail } from '../support/members.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';
import { ownerClient, visitorClient } from '../support/rpc.ts';

// Entitlements by purchases and memberships, as the SQL function `entitlements` computes them.

const mail = await startMailServer();
afterAll(() => mail.close());

const tiers = ['free', 'registered', 'paid', 'members', 'gold'] as const;

/** A site with a post and a course in each tier, and a member who is signed in. */
async function startShop(options: TestAppOptions = {}) {
  const app = await startApp({ smtpUrl: mail.url, ...options });
  const siteId = await app.seed.ownSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await studio.site.update.mutate({ subdomain: 'seller' });
  const key = await app.seed.key({ scopes: ['read', 'read:content', 'read:payments', 'write:payments'] });
  const posts: Record<string, string> = {};
  const courses: Record<string, string> = {};
  for (const access_tier of tiers) {
    const record = { title: access_tier, access_tier };
    posts[access_tier] = (
      await studio.posts.create.mutate({ ...record, content: `Body: ${access_tier}` })
    ).id;
    courses[access_tier] = (await studio.courses.create.mutate(record)).id;
  }
  const signIn = (name: string) =>
    signInByMail(app, mail, { email: `${name}@example.com`, host: 'seller.localhost' });
  const run = <Row>(text: string, values: unknown[] = []) =>
    app.deps.database.em.fork().execute<Row[]>(text, values);
  return Object.assign(app, {
    ...{ siteId, studio, key, posts, courses, signIn, run },
    /** Tiers of the posts that a token opens, through both versions of the API. */
    async openPosts(token: string, call: Pick<TestApp, 'get'>['get'] = app.get) {
      const headers = { 'x-member-token': token };
      const [v1, v2] = await Promise.all(
        ['/api/v1/posts', '/api/v2/posts'].map(async (path) => {
          const body = (await call(path, { key, headers })).body as Record<string, { title: string }[]>;
          return (body.data ?? body.items ?? [])
            .filter((post) => 'content' in post)
            .map(({ title }) => title);
        }),
      );
      expect(v1).toEqual(v2);
      return tiers.filter((tier) => v1?.includes(tier));
    },
    /** Tiers of the courses whose pages show no door to a token. */
    async openCourses(token: string) {
      const isOpen = async (tier: string) => {
        const headers = { host: 'seller.localhost', cookie: `member=${token}` };
        const page = await request(`${app.baseUrl}/courses/${tier}`, { headers });
        return !(await page.body.text()).includes('class="door"');
      };
      const open = await Promise.all(tiers.map(isOpen));
      return tiers.filter((_, at) => open[at]);
    },
    buy: async (content_type: 'posts' | 'courses', tier: string, buyer_email: string) =>
      (
        await studio.purchases.record.mutate({
          ...{ buyer_email, content_type, amount: 5, currency: 'EUR' },
          content_id: (content_type === 'posts' ? posts : courses)[tier] ?? '',
        })
      ).id,
    /** Reports a membership, which can be given other columns afterwards. */
    async join(email: string, values: object = {}, set = '') {
      const { body, status } = await app.post('/api/v2/memberships', {
        key,
        body: {
          ...{ provider: 'patreon', external_id: `pledge of ${email}`, email, state: 'active' },
          tiers: ['paid', 'members'],
          open_until: app.clock.inMinutes(60).toISOString(),
          as_of: app.clock.now().toISOString(),
          ...values,
        },
      });
      expect([status, body]).toEqual([expect.toSatisfy((code) => code === 200 || code === 201), body]);
      const { id } = body as { id: string };
      if (set) await run(`update memberships set ${set} where id = ?`, [id]);
      return id;
    },
  });
}

test.for([15, 18])(
  'purchases and memberships give access to the content that they include and nothing else, on PostgreSQL %i',
  async (version, { skip }) => {
    skip(version === 15 && !hasOldestDatabase);
    await using oldest = version === 15 ? await startOldestDatabase() : null;
    await using shop = await startShop(oldest ? { serverUrl: oldest.url } : {});
    const always = ['free', 'registered'];

    for (const [state, opens] of Object.entries({
      paid: true,
      refunded: false,
      disputed: false,
      revoked: false,
    }))
      for (const tier of ['registered', 'paid', 'members', 'gold']) {
        const { token } = await shop.signIn(`${state}-${tier}`);
        for (const kind of ['posts', 'courses'] as const) {
          const id = await shop.buy(kind, tier, `${state}-${tier}@example.com`);
          const answer = await shop.patch(`/api/v2/purchases/${id}`, { key: shop.key, body: { state } });
          expect(answer.status).toBe(200);
        }
        const expected = tiers.filter(
          (each) => always.includes(each) || (each === tier && opens && tier !== 'gold'),
        );
        expect([state, tier, await shop.openPosts(token)]).toEqual([state, tier, expected]);
        // The page of a course in an unknown tier shows no notice, because no one can open it.
        expect([state, tier, await shop.openCourses(token)]).toEqual([state, tier, [...expected, 'gold']]);
      }

    const both = [...always, 'paid', 'members'];
    const cases: [name: string, values: object, set: string, opens: string[]][] = [
      ['whole', {}, '', both],
      ['paid', { tiers: ['paid'] }, '', [...always, 'paid']],
      ['members', { tiers: ['members'] }, '', [...always, 'members']],
      ['trialing', { state: 'trialing' }, '', both],
      ['due', { state: 'past_due' }, '', both],
      ['ended', { state: 'ended' }, '', always],
      ['past', { open_until: shop.clock.now().toISOString() }, '', always],
      ['blocked', {}, 'blocked = true', always],
      ['test', {}, `livemode = false, provider = 'stripe'`, always],
    ];
    for (const [name, values, set, opens] of cases) {
      const { token } = await shop.signIn(name);
      await shop.join(`${name}@example.com`, values, set);
      expect([name, await shop.openPosts(token)]).toEqual([name, opens]);
      expect([name, await shop.openCourses(token)]).toEqual([name, [...opens, 'gold']]);
    }
  },
);

test('a membership opens its tiers to every address of its mailbox, a purchase to its own address alone', async () => {
  await using shop = await startShop();
  const { token } = await shop.signIn('grace+reading');
  await shop.buy('posts', 'paid', 'grace@example.com');
  expect(await shop.openPosts(token)).toEqual(['free', 'registered']);
  await shop.join('grace+patreon@example.com', { tiers: ['members'] });
  expect(await shop.openPosts(token)).toEqual(['free', 'registered', 'members']);
});

test('a member has the tiers that the owner granted and those of memberships, and answers list both separately', async () => {
  await using shop = await startShop();
  const { token, member } = await shop.signIn('ada');
  await shop.studio.members.update.mutate({ id: member.id, access_tiers: ['paid'] });
  await shop.join('ada@example.com', { tiers: ['members'] });
  expect(await shop.openPosts(token)).toEqual(['free', 'registered', 'paid', 'members']);
  const expected = { access_tiers: ['paid'], open_tiers: ['members', 'paid'] };
  const visitor = visitorClient(shop.baseUrl, { host: 'seller.localhost', 'x-member-token': token });
  expect(await visitor.site.members.get.query()).toMatchObject(expected);
  expect(await shop.studio.members.get.query({ id: member.id })).toMatchObject(expected);
  const key = await shop.seed.key({ scopes: ['read:members'] });
  expect(await shop.get('/api/v2/members?fields=open_tiers', { key })).toMatchObject({
    body: { items: [{ open_tiers: ['members', 'paid'] }] },
  });
  expect(
    await shop.studio.members.update
      .mutate({ id: member.id, ...{ open_tiers: ['members'] } })
      .catch((error: Error) => error.message),
  ).toContain('open_tiers');
  await shop.studio.members.update.mutate({ id: member.id, status: 'blocked' });
  expect(await shop.studio.members.get.query({ id: member.id })).toMatchObject({
    access_tiers: ['paid'],
    open_tiers: [],
  });
});

test('the account page names what a membership opens', async () => {
  await using shop = await startShop();
  const { token } = await shop.signIn('ada');
  const account = async () => {
    const headers = { host: 'seller.localhost', cookie: `member=${token}` };
    return (await request(`${shop.baseUrl}/account`, { headers })).body.text();
  };
  expect(await account()).not.toContain('everything for members');
  await shop.join('ada@example.com', { tiers: ['members'] });
  expect(await account()).toContain('everything for members');
});

test('refunds, disputes, revocations and ended memberships close access from the next request on, in two processes', async () => {
  await using shop = await startShop();
  const database = await openDatabase({ url: shop.databaseUrl, poolSize: 2, applicationName: 'second' });
  const server = buildApp(createDeps({ ...shop.deps, database }));
  const call = createCaller(await server.listen({ host: '127.0.0.1', port: 0 }));
  const elsewhere: TestApp['get'] = (path, options) => call('GET', path, options);
  const { token } = await shop.signIn('ada');
  const isOpen = async (tier: string) => {
    const open = await Promise.all([shop.openPosts(token), shop.openPosts(token, elsewhere)]);
    expect(open[0]).toEqual(open[1]);
    return open[0]?.some((each) => each === tier);
  };
  const id = await shop.buy('posts', 'paid', 'ada@example.com');
  for (const state of ['refunded', 'disputed', 'revoked']) {
    for (const [next, expected] of [
      ['paid', true],
      [state, false],
    ] as const) {
      await shop.patch(`/api/v2/purchases/${id}`, { key: shop.key, body: { state: next } });
      expect([next, await isOpen('paid')]).toEqual([next, expected]);
    }
  }
  await shop.join('ada@example.com');
  expect(await isOpen('members')).toBe(true);
  shop.clock.advance({ hours: 1, ms: -1 });
  expect(await isOpen('members')).toBe(true);
  shop.clock.advance({ ms: 1 });
  expect(await isOpen('members')).toBe(false);
  await shop.join('ada@example.com');
  expect(await isOpen('members')).toBe(true);
  shop.clock.advance({ seconds: 1 });
  await shop.join('ada@example.com', { state: 'ended' });
  expect(await isOpen('members')).toBe(false);
  await server.close();
  await database.close();
});

test('sales of a test account open content to people who work on the site, and to others only where test sales count', async () => {
  const opened = async (countsTest: boolean, provider: string, email: string) => {
    await using shop = await startShop({ config: { countsTest } });
    await shop.run(`update people set email = 'staff@example.com'`);
    const { token } = await shop.signIn(email);
    const id = await shop.buy('posts', 'paid', `${email}@example.com`);
    await shop.run('update purchases set livemode = false, provider = ? where id = ?', [provider, id]);
    await shop.join(`${email}@example.com`, {}, `livemode = false, provider = '${provider}'`);
    return (await shop.openPosts(token)).length > 2;
  };
  expect([
    await opened(true, 'stripe', 'ada'),
    await opened(true, 'demo', 'ada'),
    await opened(false, 'stripe', 'ada'),
    await opened(false, 'stripe', 'staff'),
    await opened(false, 'demo', 'staff'),
  ]).toEqual([true, true, false, true, false]);
});

test('test sales count outside production, and only without a public address', () => {
  const counts = (NODE_ENV: string, url: string) => countsTestSales({ NODE_ENV, PUBLIC_URL: new URL(url) });
  expect([
    counts('development', 'http://localhost:3000'),
    counts('test', 'http://127.0.0.1:3000'),
    counts('production', 'http://localhost:3000'),
    counts('development', 'https://example.com'),
    counts('development', 'http://192.168.1.5:3000'),
  ]).toEqual([true, true, false, false, false]);
});

test('a member’s request costs one round trip for session, tiers and purchases together', async () => {
  const serverUrl = inject('databaseUrl');
  await using proxy = await countRoundTrips({ port: Number(new URL(serverUrl).port) });
  await using shop = await startShop({ serverUrl: withPort(serverUrl, proxy.port) });
  const { token } = await shop.signIn('ada');
  for (const tier of ['paid', 'members']) await shop.buy('posts', tier, 'ada@example.com');
  await shop.join('ada@example.com', { tiers: ['paid'] });
  const path = `/api/v2/posts/${shop.posts.members}`;
  const read = () => shop.get(path, { key: shop.key, headers: { 'x-member-token': token } });
  for (const _ of [1, 2, 3]) expect(await read()).toMatchObject({ body: { content: 'Body: members' } });
  // One for the key with the site, one for the member; the answer comes from memory.
  expect(await proxy.during(read)).toBe(2);
});

test('buyers of more than a thousand records open each of them, in every tier, on courses too', async () => {
  await using shop = await startShop();
  const { token } = await shop.signIn('keen');
  await shop.run(
    `insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created)
     select ?, 'keen' || n, 'keen@example.com', case when n % 2 = 0 then 'posts' else 'courses' end, 'aa' || n, 1, 'EUR', now()
     from generate_series(1, 3000) n`,
    [shop.siteId],
  );
  expect(await shop.openPosts(token)).toEqual(['free', 'registered']);
  for (const kind of ['posts', 'courses'] as const)
    for (const tier of ['paid', 'members']) await shop.buy(kind, tier, 'keen@example.com');
  expect(await shop.openPosts(token)).toEqual(['free', 'registered', 'paid', 'members']);
  expect(await shop.openCourses(token)).toEqual(tiers);
});

test('newsletters count purchases and memberships by address, without an account too, and a blocked member gets nothing', async () => {
  await using app = await startMailingSite({ smtpUrl: 'smtp://127.0.0.1:1' });
  const { siteId } = app;
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const names = ['stranger', 'buyer', 'fan+news', 'blocked', 'refunded', 'member', 'late'];
  await app.subscribe(
    names.map((name) => `${name}@x.example`),
    siteId,
  );
  for (const [name, status] of Object.entries({ blocked: 'blocked', member: 'active' }))
    await app.run(
      `insert into members (site_id, id, email, name, status, access_tiers, created, updated)
       values (?, substr(md5(?), 1, 15), ?, '', ?, '{members}', now(), now())`,
      [siteId, name, `${name}@x.example`, status],
    );
  const posts: Record<string, string> = {};
  for (const access_tier of ['registered', 'paid', 'members']) {
    const { id } = await studio.posts.create.mutate({ title: access_tier, content: 'A', access_tier });
    posts[access_tier] = id;
    for (const name of ['buyer', 'blocked', 'refunded']) {
      const bought = { content_type: 'posts', content_id: id, amount: 5, currency: 'EUR' } as const;
      await studio.purchases.record.mutate({ buyer_email: `${name}@x.example`, ...bought });
    }
  }
  await app.run(`update purchases set refunded_amount = 5 where buyer_email = 'refunded@x.example'`);
  const join = (name: string, open: string) =>
    app.run(
      `insert into memberships (site_id, id, email, tiers, state, blocked, provider, external_id, open_until, trial_used, as_of,
         livemode, created, updated)
       values (?, substr(md5(?), 1, 15), ?, '{paid,members}', 'active', false, 'patreon', ?, now() + ?::interval, false, now(),
         true, now(), now())`,
      [siteId, name, `${name}@x.example`, name, open],
    );
  await join('fan', '1 hour');
  await join('blocked', '1 hour');
  await join('late', '-1 second');
  const count = (tier: string, audience = {}) =>
    studio.mailings.audience.query({ post_id: posts[tier] ?? '', audience });
  expect([
    (await count('registered')).open,
    (await count('paid')).open,
    (await count('members')).open,
    (await count('paid', { access_tiers: ['members'] })).recipients,
    (await count('paid', { access_tiers: ['registered'] })).recipients,
  ]).toEqual([
    // The buyer and the member; no one else has an account.
    2,
    // The buyer and the fan.
    2,
    // The buyer, the fan and the member.
    3,
    // The fan and the member.
    2, 1,
  ]);
});
