import { expect, test } from 'vitest';
import { startMailServer } from '../support/mail-server.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { type SellingSite, startSellingSite } from '../support/selling-site.ts';
import { createVisitor } from '../support/visitor.ts';

const grace = 'grace@example.com';
const secret = 'The secret of sleep.';

/** Fills in the form of an offer and presses the button of the demo provider. */
async function buy({ visit }: Pick<SellingSite, 'visit'>, id: string, email: string) {
  const begun = await visit(`/buy/${id}`, { form: { email } });
  const payment = String(begun.headers.location);
  expect([begun.status, payment]).toEqual([303, expect.stringMatching(/^\/buy\/demo\/\w{22}$/)]);
  const paid = await visit(payment, { form: {} });
  expect(paid.status).toBe(303);
  return { payment, done: String(paid.headers.location) };
}

const signInAtDone = async ({ visit }: Pick<SellingSite, 'visit'>, done: string, code: () => string) => {
  const requested = await visit(`${done}/sign-in`, { form: { send: 'yes' } });
  expect(requested.text).toContain('g…@example.com');
  expect(requested.text).not.toContain(grace);
  return visit(`${done}/sign-in`, { form: { code: code() } });
};

const eventsOf = async (app: SellingSite, name: string) =>
  (await app.deps.database.em.execute('select body from events where name = ?', [name])).length;

test('a reader buys a closed post, signs in with a code that was sent to the noted address, and reads it', async () => {
  await using mail = await startMailServer();
  await using app = await startSellingSite({ smtpUrl: mail.url });
  const { id } = await app.sellPost();
  const closed = await app.visit('/posts/sleep');
  expect(closed.text).toContain(`href="/buy/${id}">Buy for €49</a>`);
  expect(closed.text).not.toContain(secret);
  const { done } = await buy(app, id, grace);
  const thanks = await app.visit(done);
  expect(thanks.text).toContain('You bought The price of sleep.');
  expect(thanks.text).not.toContain(grace);
  const signedIn = await signInAtDone(app, done, () => mail.codeFor(grace));
  expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/posts/sleep']);
  expect((await app.visit('/posts/sleep')).text).toContain(secret);
  expect((await app.visit('/posts/numbers')).text).not.toContain('The secret numbers.');
  const account = (await app.visit('/account')).text;
  expect(account).toMatch(/<a href="\/posts\/sleep">The price of sleep<\/a><p class="meta">.*€49/);
  expect((await createVisitor(app.baseUrl)('/posts/sleep')).text).not.toContain(secret);
});

test('a membership opens paid content and content for members, and canceling it closes both', async () => {
  await using mail = await startMailServer();
  await using app = await startSellingSite({ smtpUrl: mail.url });
  const { id } = await app.sellMembership();
  await app.sellMembership({ interval: 'year', amount: 50, sort_order: 1 });
  const door = (await app.visit('/posts/numbers')).text;
  expect(door).toContain(`href="/buy/${id}">Become a member: €5 a month, €50 a year</a>`);
  const { done } = await buy(app, id, grace);
  await signInAtDone(app, done, () => mail.codeFor(grace));
  expect((await app.visit('/posts/numbers')).text).toContain('The secret numbers.');
  expect((await app.visit('/posts/sleep')).text).toContain(secret);
  const account = (await app.visit('/account')).text;
  expect(account).toContain('Renews on');
  const [, membership_id = ''] = /name="membership_id" value="(\w+)"/.exec(account) ?? [];
  const portal = await app.visit('/account/billing', { form: { membership_id } });
  expect([portal.status, portal.headers.location]).toEqual([303, `/account/billing/demo/${membership_id}`]);
  expect((await app.visit(String(portal.headers.location))).text).toContain('It ends immediately');
  expect((await app.visit(String(portal.headers.location), { form: {} })).status).toBe(303);
  expect((await app.visit('/account')).text).toContain('Ended');
  for (const path of ['/posts/numbers', '/posts/sleep'])
    expect((await app.visit(path)).text).not.toMatch(/The secret/);
  expect(await eventsOf(app, 'purchase.completed')).toBe(0);
  const other = await createVisitor(app.baseUrl)('/account/billing', { form: { membership_id } });
  expect(other.status).toBe(401);
});

test('pressing the pay button repeatedly, also in two tabs, makes one purchase, one event and one enrollment', async () => {
  await using app = await startSellingSite();
  const sold = {
    title: 'Locks',
    interval: 'once',
    collection: 'courses',
    amount: 9.5,
    currency: 'EUR',
  } as const;
  const { id } = await app.studio.offers.create.mutate({ ...sold, record_id: app.ids.course });
  const begin = async (email: string) =>
    String((await app.visit(`/buy/${id}`, { form: { email } })).headers.location);
  const [first, second] = await Promise.all([begin(grace), begin(grace)]);
  expect(second).toBe(first);
  const presses = await Promise.all([1, 2, 3].map(() => app.visit(first, { form: {} })));
  expect(presses.map(({ status }) => status)).toEqual([303, 303, 303]);
  expect(await eventsOf(app, 'purchase.completed')).toBe(1);
  expect(await eventsOf(app, 'course.enrolled')).toBe(1);
  const { items } = await app.studio.purchases.list.query();
  expect(items).toMatchObject([
    { buyer_email: grace, amount: 9.5, provider: 'demo', livemode: false, offer_id: id },
  ]);
});

test('another plus tag of the email address, or another price, ends the open checkout, and an old link sells nothing', async () => {
  await using app = await startSellingSite();
  const { id } = await app.sellPost();
  const begin = async (email: string) =>
    String((await app.visit(`/buy/${id}`, { form: { email } })).headers.location);
  const first = await begin(grace);
  const tagged = await begin('grace+shop@example.com');
  expect(tagged).not.toBe(first);
  await app.studio.offers.update.mutate({ id, amount: 50 });
  const dearer = await begin('grace+shop@example.com');
  expect(dearer).not.toBe(tagged);
  for (const old of [first, tagged]) {
    await app.visit(old, { form: {} });
    expect((await app.visit(old.replace('demo', 'done'))).text).toContain('This checkout has ended');
  }
  app.clock.advance({ minutes: 46 });
  await app.visit(dearer, { form: {} });
  expect((await app.visit(dearer.replace('demo', 'done'))).text).toContain('This checkout has ended');
  expect((await app.studio.purchases.list.query()).total).toBe(0);
});

test.for([
  ['in production or where the service has a public address', { countsTest: false }, undefined],
  ['at a host that is not loopback', {}, 'shop.example.com'],
] as const)('the demo provider does not exist %s', async ([, config, host]) => {
  await using app = await startSellingSite();
  const { id } = await app.sellPost();
  const open = String((await app.visit(`/buy/${id}`, { form: { email: grace } })).headers.location);
  Object.assign(app.deps.config, config);
  const visit = createVisitor(app.baseUrl, host);
  expect((await visit('/posts/sleep')).text).not.toContain('Buy for');
  expect((await visit(`/buy/${id}`)).text).toContain('Payments are not possible here');
  expect((await visit(`/buy/${id}`, { form: { email: grace } })).status).toBe(503);
  expect((await visit(open)).status).toBe(404);
  expect((await visit(open, { form: {} })).status).toBe(404);
  const { checkout } = visitorClient(app.baseUrl, host ? { host } : {}).site;
  expect((await refusal(checkout.begin.mutate({ offer_id: id, email: grace }))).code).toBe(
    'payments_not_configured',
  );
  expect((await app.studio.purchases.list.query()).total).toBe(0);
});

test('sales of the demo provider open nothing in production', async () => {
  await using mail = await startMailServer();
  await using app = await startSellingSite({ smtpUrl: mail.url });
  const { id } = await app.sellPost();
  const { done } = await buy(app, id, grace);
  await signInAtDone(app, done, () => mail.codeFor(grace));
  expect((await app.visit('/posts/sleep')).text).toContain(secret);
  Object.assign(app.deps.config, { countsTest: false });
  expect((await app.visit('/posts/sleep')).text).not.toContain(secret);
  expect((await app.visit('/account')).text).not.toContain('The price of sleep');
});

test('only a member learns that an address has access, and the plan free sells nothing', async () => {
  await using mail = await startMailServer();
  await using app = await startSellingSite({ smtpUrl: mail.url });
  const { id } = await app.sellPost();
  const { done } = await buy(app, id, grace);
  const stranger = createVisitor(app.baseUrl);
  expect((await stranger(`/buy/${id}`, { form: { email: grace } })).status).toBe(303);
  await signInAtDone(app, done, () => mail.codeFor(grace));
  const again = await app.visit(`/buy/${id}`, { form: {} });
  expect(again.status).toBe(409);
  expect(again.text).toContain('You already have access to this.');
  await app.deps.database.em.execute(`update sites set plan = 'free'`);
  expect((await stranger('/posts/sleep')).text).not.toContain('Buy for');
  expect((await stranger(`/buy/${id}`, { form: { email: 'b@example.com' } })).status).toBe(503);
  expect((await app.visit('/posts/sleep')).text).toContain(secret);
});

test('a mailbox has one trial: whoever had one pays from the first day', async () => {
  await using app = await startSellingSite();
  const { id } = await app.sellMembership({ trial_days: 14 });
  const trialsOf = async (email: string) => {
    const { done } = await buy(app, id, email);
    expect((await app.visit(done)).text).toContain('You are a member now.');
    const { items } = await app.studio.memberships.list.query();
    return items.map(({ state }) => state);
  };
  expect(await trialsOf(grace)).toEqual(['trialing']);
  app.clock.advance({ minutes: 1 });
  expect(await trialsOf('grace+again@example.com')).toEqual(['active', 'trialing']);
});

test('a form is refused with its problem, from other sites, and for an unknown offer', async () => {
  await using app = await startSellingSite();
  const { id } = await app.sellPost();
  const bad = await app.visit(`/buy/${id}`, { form: { email: '"><b>no' } });
  expect(bad.status).toBe(400);
  expect(bad.text).toContain('aria-describedby="email-hint email-problem" aria-invalid="true"');
  expect(bad.text).toContain('value="&quot;&gt;&lt;b&gt;no"');
  const open = String((await app.visit(`/buy/${id}`, { form: { email: grace } })).headers.location);
  for (const path of [
    `/buy/${id}`,
    open,
    `${open.replace('demo', 'done')}/sign-in`,
    '/account/billing',
    '/account/billing/demo/a',
  ])
    for (const origin of ['null', '', 'https://evil.example'])
      expect([path, (await app.visit(path, { form: { email: grace }, headers: { origin } })).status]).toEqual(
        [path, 403],
      );
  for (const path of ['/buy/mb3k9x2a7f0q1zd', '/buy/nothing', '/buy/demo/nothing', '/buy/done/nothing']) {
    expect([path, (await app.visit(path)).status]).toEqual([path, 404]);
    expect([path, (await app.visit(path, { form: { email: grace } })).status]).toEqual([path, 404]);
  }
  const bot = await app.visit(`/buy/${id}`, { form: { email: grace, homepage: 'https://spam.example' } });
  expect([bot.status, bot.headers.location]).toEqual([303, `/buy/${id}`]);
});

test('after the session of a member ended, a checkout form without an address is shown again with an email field', async () => {
  await using app = await startSellingSite();
  const { id } = await app.sellPost();
  const again = await app.visit(`/buy/${id}`, { form: {} });
  expect([again.status, again.text]).toEqual([400, expect.stringContaining('name="email"')]);
});

test('pages of a purchase are stored nowhere, and their URLs are sent to no other site', async () => {
  await using app = await startSellingSite();
  const { id } = await app.sellPost();
  const { payment, done } = await buy(app, id, grace);
  const waiting = String(
    (await app.visit(`/buy/${id}`, { form: { email: 'b@example.com' } })).headers.location,
  );
  const pages = [
    [`/buy/${id}`, 'strict-origin-when-cross-origin'],
    [waiting, 'same-origin'],
    [done, 'no-referrer'],
    [`${done}/sign-in`, 'same-origin'],
  ];
  for (const [path = '', referrer] of pages) {
    const { headers, text } = await app.visit(path);
    expect([path, headers['cache-control'], headers['referrer-policy']]).toEqual([
      path,
      'private, no-store',
      referrer,
    ]);
    expect(text).toContain('<meta name="robots" content="noindex">');
  }
  expect((await app.visit(payment)).headers.location).toBe(done);
  const unpaid = waiting.replace('demo', 'done');
  const first = await app.visit(unpaid);
  expect([first.headers.refresh, (await app.visit(`${unpaid}?time=12`)).headers.refresh]).toEqual([
    `5; url=${unpaid}?time=1`,
    undefined,
  ]);
});

test('buying counts in the strict tier', async () => {
  await using app = await startSellingSite({ limits: { strict: { perMinute: 5, burst: 3 } } as never });
  const { id } = await app.sellPost();
  const send = async () => (await app.visit(`/buy/${id}`, { form: { email: 'no' } })).status;
  expect([await send(), await send(), await send(), await send()]).toEqual([400, 400, 400, 429]);
});
