import { expect, test } from 'vitest';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { captureLog } from '../support/log.ts';
import { startMailServer } from '../support/mail-server.ts';
import { anyId } from '../support/matchers.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { type StripeSite, startConnectedSite, startSellingSite } from '../support/selling-site.ts';
import { createVisitor } from '../support/visitor.ts';

// Checkouts at Stripe, against the stand-in.

const grace = 'grace@example.com';

const rowsOf = (app: StripeSite, what = '*') =>
  app.deps.database.em
    .fork()
    .execute<Record<string, unknown>[]>(`select ${what} from checkouts order by created, id`);
const begin = (app: StripeSite, offer_id: string, email = grace) =>
  visitorClient(app.baseUrl).site.checkout.begin.mutate({ offer_id, email });
const created = ({ stripe }: StripeSite) =>
  stripe.calls.filter(
    ({ path, body }) =>
      path === '/v1/checkout/sessions' && JSON.stringify(body).includes('client_reference_id'),
  );

async function signIn(app: StripeSite, mail: { codeFor(email: string): string }, email = grace) {
  await app.visit('/sign-in', { form: { email } });
  await app.visit('/sign-in', { form: { email, code: mail.codeFor(email) } });
}

test('a buyer pays for a post at Stripe, and the sale belongs to the address that was noted, never to the one that Stripe returns', async () => {
  await using mail = await startMailServer();
  await using app = await startConnectedSite({ smtpUrl: mail.url, livemode: true });
  const { id } = await app.sellPost();
  const begun = await app.visit(`/buy/${id}`, { form: { email: 'Grace@Example.com' } });
  const [session] = app.sessions();
  expect([begun.status, begun.headers.location]).toEqual([303, session?.url]);
  const [row] = await rowsOf(app);
  const { checkout } = { checkout: row?.id };
  const metadata = { site: app.siteId, checkout, offer: id };
  expect(session).toMatchObject({
    ...{ mode: 'payment', client_reference_id: checkout, metadata, customer_email: grace, locale: 'en' },
    ...{ amount_total: 4_900, currency: 'eur', adaptive_pricing: { enabled: false } },
    ...{
      success_url: `http://localhost:3000/buy/done/${row?.token}`,
      cancel_url: `http://localhost:3000/buy/${id}`,
    },
    expires_at: Math.floor(app.clock.now().getTime() / 1_000) + 45 * 60,
  });
  expect(created(app)).toMatchObject([
    { idempotencyKey: `${checkout}-1`, body: { payment_intent_data: { metadata, receipt_email: grace } } },
  ]);
  await app.stripe.pay(session?.id ?? '', { email: 'other@example.com' });
  await app.passNow();
  const { items } = await app.studio.purchases.list.query();
  expect(items).toMatchObject([
    { buyer_email: grace, amount: 49, provider: 'stripe', state: 'paid', offer_id: id },
  ]);
  await signIn(app, mail);
  expect((await app.visit('/posts/sleep')).text).toContain('The secret of sleep.');
});

test('a buyer who repeats offer, address and price gets the open session; a new price ends it at Stripe first', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  const first = await begin(app, id);
  expect(await begin(app, id)).toEqual(first);
  await app.studio.offers.update.mutate({ id, amount: 50 });
  const dearer = await begin(app, id);
  expect(dearer.url).not.toBe(first.url);
  expect(app.sessions().map(({ status, amount_total }) => [status, amount_total])).toEqual([
    ['expired', 4_900],
    ['open', 5_000],
  ]);
  const products = () =>
    app.ledger().products.flatMap(({ name, metadata }) => (metadata.offer ? [name] : []));
  expect(products()).toHaveLength(1);
  await app.studio.offers.update.mutate({ id, title: 'Better sleep' });
  await begin(app, id, 'other@example.com');
  expect(products()).toEqual(['The price of sleep', 'Better sleep']);
});

test('two tabs of one address have at most one open session per offer', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  const begun = await Promise.all(Array.from({ length: 6 }, () => begin(app, id)));
  expect(new Set(begun.map(({ url }) => url)).size).toBe(1);
  const tagged = await Promise.all(
    ['a', 'b', 'c'].map((tag) => begin(app, id, `grace+${tag}@example.com`).catch(() => null)),
  );
  expect(tagged.some(Boolean)).toBe(true);
  expect(app.sessions().filter(({ status }) => status === 'open')).toHaveLength(1);
});

test('tabs that join by month and by year at the same time, in two processes, get one trial for each mailbox', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const offers = [
    await app.sellMembership({ trial_days: 14 }),
    await app.sellMembership({ interval: 'year', amount: 50, trial_days: 14 }),
  ];
  for (const { id } of offers) await begin(app, id, 'first@example.com');
  const { em } = app.deps.database;
  const holder = em.fork();
  await holder.begin();
  // Reads pass, so both tabs decide before either stores its checkout.
  await holder.execute('lock table checkouts in share mode');
  const database = await openDatabase({ url: app.databaseUrl, poolSize: 4, applicationName: 'second' });
  const second = buildApp(createDeps({ ...app.deps, database }));
  const baseUrls = [app.baseUrl, await second.listen({ host: '127.0.0.1', port: 0 })];
  const both = Promise.all(
    offers.map(({ id }, at) =>
      visitorClient(baseUrls[at] ?? '').site.checkout.begin.mutate({ offer_id: id, email: grace }),
    ),
  );
  await eventually(async () => {
    const [row] = await em.fork().execute<{ waiting: number }[]>(
      `select count(*)::integer as waiting from pg_locks
       where not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    return row?.waiting === 2;
  });
  await holder.commit();
  await both;
  await second.close();
  await database.close();
  expect(
    await em
      .fork()
      .execute('select count(trial_days)::integer as trials from checkouts where email = ?', [grace]),
  ).toEqual([{ trials: 1 }]);
});

test('an earlier session that turns out to be paid is recorded immediately: a member gets 409, a visitor can pay again', async () => {
  await using mail = await startMailServer();
  await using app = await startConnectedSite({ smtpUrl: mail.url, livemode: true });
  const { id } = await app.sellPost();
  await signIn(app, mail);
  const open = await app.visit(`/buy/${id}`, { form: {} });
  const [session] = app.sessions();
  expect(open.headers.location).toBe(session?.url);
  await app.stripe.pay(session?.id ?? '');
  await app.studio.offers.update.mutate({ id, amount: 50 });
  const again = await app.visit(`/buy/${id}`, { form: {} });
  expect([again.status, again.text]).toEqual([
    409,
    expect.stringContaining('You already have access to this.'),
  ]);
  expect((await app.studio.purchases.list.query()).items).toMatchObject([{ buyer_email: grace, amount: 49 }]);
  expect((await begin(app, id)).url).toMatch(/^https:\/\/checkout\.stripe\.com\//);
});

test('after a lost answer of Stripe a buyer gets the same session, and after an error of Stripe another attempt', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  app.stripe.next('cut');
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'provider_unavailable' });
  const [lost] = app.sessions().filter(({ customer_email }) => customer_email === grace);
  expect((await begin(app, id)).url).toBe(lost?.url);
  app.stripe.next('500');
  const other = 'other@example.com';
  expect(await refusal(begin(app, id, other))).toMatchObject({ code: 'provider_unavailable' });
  await begin(app, id, other);
  const keys = created(app).map(({ idempotencyKey }) => idempotencyKey?.slice(-2));
  expect(keys).toEqual(['-1', '-1', '-1', '-1', '-2']);
  const bodies = created(app).map(({ body }) => JSON.stringify(body));
  expect([bodies[1], bodies[3]]).toEqual([bodies[2], bodies[4]]);
});

test('while Stripe is unavailable, the form is shown again with 503 and Retry-After; the row was committed first', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  app.stripe.onCall(async ({ path }, when) => {
    if (path !== '/v1/checkout/sessions' || when !== 'before') return;
    expect((await rowsOf(app, 'state')).map(({ state }) => state).sort()).toEqual(['open', 'opening']);
  });
  app.stripe.next('429');
  const answer = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(answer.text).toContain('Payments are not possible here at the moment');
  expect((await app.visit(`/buy/${id}`, { form: { email: grace } })).status).toBe(303);
});

test('with a revoked Stripe key checkouts fail with payments_not_configured, and the site hides its offers from the next request on', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  expect((await createVisitor(app.baseUrl)('/posts/sleep')).text).toContain('Buy for €49');
  app.stripe.revokeKey(app.account.key);
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'payments_not_configured' });
  expect(await app.studio.payments.get.query()).toMatchObject({ state: 'broken', reason: 'key_refused' });
  expect((await createVisitor(app.baseUrl)('/posts/sleep')).text).not.toContain('Buy for');
  expect((await app.visit(`/buy/${id}`)).text).toContain('Payments are not possible here');
});

test('a refused key is logged without a part of it', async () => {
  const log = captureLog();
  await using app = await startConnectedSite({ livemode: true, logger: log.logger });
  const { id } = await app.sellPost();
  app.stripe.revokeKey(app.account.key);
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'payments_not_configured' });
  expect(log.errors()).toMatchObject([{ err: { message: expect.stringContaining('Invalid API Key') } }]);
  expect(log.text()).not.toContain('rk_live');
});

test('a payment page that Stripe refuses is logged with the code of Stripe, and without the address', async () => {
  const log = captureLog();
  await using app = await startConnectedSite({ livemode: true, logger: log.logger });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  await app.deps.database.em.execute(`update offers set product_ref = 'prod_gone'`);
  expect((await app.visit(`/buy/${id}`, { form: { email: grace } })).status).toBe(503);
  const lines = log
    .text()
    .split('\n')
    .filter((line) => line.includes('Stripe refused a payment page'));
  expect(lines).toEqual([expect.stringContaining('"code":"resource_missing"')]);
  expect(log.text()).not.toContain(grace);
});

test('a refusal of Stripe is provider_refused to programs without keys in its message, and 503 in the form', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  const key = await app.seed.key({ scopes: ['write:payments'] });
  const { deps } = app;
  const send = (email: string) =>
    app.post('/api/v2/checkouts', {
      key,
      body: {
        offer_id: id,
        email,
        success_url: 'http://localhost:3000/a',
        cancel_url: 'http://localhost:3000/b',
      },
    });
  await deps.database.em.execute(`update offers set product_ref = 'rk_live_123abc'`);
  expect(await send(grace)).toMatchObject({
    status: 422,
    body: { error: { code: 'provider_refused', message: expect.not.stringContaining('123abc') } },
  });
  await deps.database.em.execute(`update offers set product_ref = 'prod_gone'`);
  const form = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect([form.status, form.text.includes('prod_gone')]).toEqual([503, false]);
  // The product is created again.
  expect((await send(grace)).status).toBe(201);
});

const headers = { origin: 'https://shop.example' };

test('v2.checkouts returns 201, and 200 with the same body for the same offer, buyer and URLs; its state follows the payment', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id: offer_id } = await app.sellMembership({ trial_days: 14 });
  const key = await app.seed.key({
    scopes: ['read:payments', 'write:payments'],
    allowed_origins: ['https://shop.example'],
  });
  const urls = {
    success_url: 'https://SHOP.example/thanks?a=b c',
    cancel_url: 'http://localhost:3000/courses',
  };
  const body = { offer_id, email: 'Grace@Example.com', ...urls };
  const first = await app.post('/api/v2/checkouts', { key, body, headers });
  const [session] = app.sessions();
  const expires_at = '2026-01-31 09:50:00.123Z';
  expect(first).toEqual({ status: 201, body: { id: anyId, url: session?.url, state: 'open', expires_at } });
  expect(session).toMatchObject({
    success_url: 'https://shop.example/thanks?a=b%20c',
    mode: 'subscription',
    payment_method_collection: 'always',
  });
  expect(created(app)[0]?.body).toMatchObject({ subscription_data: { trial_period_days: '14' } });
  expect(await app.post('/api/v2/checkouts', { key, body, headers })).toEqual({ ...first, status: 200 });
  const other = await app.post('/api/v2/checkouts', {
    ...{ key, headers },
    body: { ...body, cancel_url: 'https://shop.example/no' },
  });
  expect(other.status).toBe(201);
  const { id } = other.body as { id: string };
  const read = async () => (await app.get(`/api/v2/checkouts/${id}`, { key, headers })).body;
  await app.stripe.pay(app.sessions()[1]?.id ?? '');
  await app.passNow();
  expect(await read()).toEqual({ id, url: null, state: 'paid', expires_at });
  expect((await app.studio.memberships.list.query()).items).toMatchObject([
    { email: grace, state: 'trialing', provider: 'stripe' },
  ]);
  expect(await app.post('/api/v2/checkouts', { key, body, headers })).toEqual(
    failure(409, 'already_entitled'),
  );
  expect(await app.get(`/api/v2/checkouts/${'a'.repeat(15)}`, { key, headers })).toEqual(
    failure(404, 'not_found'),
  );
});

test('URLs of callers are on an allowed origin, https except on this machine, and without a user', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id: offer_id } = await app.sellPost();
  const key = await app.seed.key({
    scopes: ['write:payments'],
    allowed_origins: ['https://shop.example', 'http://shop.example'],
  });
  const send = (values: object) =>
    app.post('/api/v2/checkouts', {
      ...{ key, headers },
      body: {
        offer_id,
        email: grace,
        success_url: 'https://shop.example/',
        cancel_url: 'https://shop.example/',
        ...values,
      },
    });
  for (const url of [
    'https://evil.example/',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'https://a:b@shop.example/',
    'http://shop.example/',
    'javascript:alert(1)',
    'data:text/html,a',
    '//shop.example/',
    '/thanks',
    'https://shop.example:444/',
    'no',
  ])
    for (const name of ['success_url', 'cancel_url'])
      expect([url, await send({ [name]: url })]).toMatchObject([
        url,
        { status: 400, body: { error: { code: 'validation_failed', fields: [{ path: name }] } } },
      ]);
  expect(app.sessions()).toEqual([]);
  expect((await send({ offer_id: 'a'.repeat(15) })).body).toMatchObject({
    error: { fields: [{ path: 'offer_id' }] },
  });
  expect((await send({})).status).toBe(201);
});

test('in test mode in production, only people who work on the site can pay', async () => {
  await using app = await startConnectedSite({ config: { countsTest: false } });
  const { id } = await app.sellPost();
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'payments_not_configured' });
  const [owner] = await app.deps.database.em.execute<{ email: string }[]>('select email from people');
  const { url } = await begin(app, id, owner?.email);
  await app.stripe.pay(app.sessions()[0]?.id ?? '');
  await app.passNow();
  expect(url).toContain('checkout.stripe.com');
  expect((await app.studio.purchases.list.query()).items).toMatchObject([
    { livemode: false, buyer_email: owner?.email },
  ]);
  expect(
    await app.deps.database.em.execute('select name from events where name = ?', ['purchase.completed']),
  ).toEqual([]);
});

test('the plan free sells nothing new; the portal and receipts continue', async () => {
  await using mail = await startMailServer();
  await using app = await startConnectedSite({ smtpUrl: mail.url, livemode: true });
  const { id } = await app.sellMembership();
  const post = await app.sellPost();
  for (const offer of [id, post.id]) {
    await begin(app, offer);
    await app.stripe.pay(app.sessions().at(-1)?.id ?? '');
  }
  await app.passNow();
  await app.deps.database.em.execute(`update sites set plan = 'free'`);
  expect(await refusal(begin(app, id, 'b@example.com'))).toMatchObject({ code: 'payments_not_configured' });
  await signIn(app, mail);
  const account = (await app.visit('/account')).text;
  expect(account).toContain('Renews on February 28, 2026');
  const [, membership_id = ''] = /name="membership_id" value="(\w+)"/.exec(account) ?? [];
  const portal = await app.visit('/account/billing', { form: { membership_id } });
  expect([portal.status, portal.headers.location]).toEqual([
    303,
    expect.stringMatching(/^https:\/\/billing\.stripe\.com\/p\/session\//),
  ]);
  expect(app.stripe.calls.at(-1)?.body).toMatchObject({
    return_url: 'http://localhost:3000/account',
    configuration: app.ledger().portalConfigurations[0]?.id,
  });
  const [, receipt = ''] = /href="(\/account\/receipts\/\w+)"/.exec(account) ?? [];
  const shown = await app.visit(receipt);
  expect([shown.status, shown.headers.location]).toEqual([
    303,
    app.ledger().charges.find(({ metadata }) => metadata.site)?.receipt_url,
  ]);
  // Others, and a customer that is gone.
  const stranger = createVisitor(app.baseUrl);
  expect((await stranger('/account/billing', { form: { membership_id } })).status).toBe(401);
  expect((await stranger(receipt)).status).toBe(401);
  expect((await app.visit(`/account/receipts/${membership_id}`)).status).toBe(404);
  await app.stripe.deleteCustomer(app.ledger().customers[0]?.id ?? '');
  expect((await app.visit('/account/billing', { form: { membership_id } })).status).toBe(404);
});

test('if Stripe refuses to open its page for members, the page shows no message of Stripe', async () => {
  await using mail = await startMailServer();
  await using app = await startConnectedSite({ smtpUrl: mail.url, livemode: true });
  const { id } = await app.sellMembership();
  await begin(app, id);
  await app.stripe.pay(app.sessions()[0]?.id ?? '');
  await app.passNow();
  await signIn(app, mail);
  const [, membership_id = ''] =
    /name="membership_id" value="(\w+)"/.exec((await app.visit('/account')).text) ?? [];
  for (const { id: portal } of app.ledger().portalConfigurations)
    await app.client.billingPortal.configurations.update(portal, { active: false });
  const refused = await app.visit('/account/billing', { form: { membership_id } });
  expect([refused.status, refused.text]).toEqual([
    422,
    expect.stringContaining('Payments are not possible here at the moment'),
  ]);
  expect(refused.text).not.toContain('is not active');
});

test('the page after a payment reloads while the payment is in progress, and shows its success after the worker has recorded it', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id);
  const [session] = app.sessions();
  const done = new URL(session?.success_url ?? '').pathname;
  await app.stripe.pay(session?.id ?? '', { method: 'sepa' });
  const waiting = await app.visit(done);
  expect([waiting.headers.refresh, waiting.text.includes('Your payment is on its way')]).toEqual([
    `5; url=${done}?time=1`,
    true,
  ]);
  await app.passNow();
  expect((await app.visit(`${done}?time=1`)).text).toContain('Your bank has not confirmed it yet');
  await app.stripe.settle(session?.id ?? '');
  await app.passNow();
  expect((await app.visit(`${done}?time=2`)).text).toContain('You bought The price of sleep.');
});

test('a Stripe session at a custom domain is shown as a page with a link, since browsers do not redirect the form there', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id);
  await app.deps.database.em.execute(`update checkouts set url = 'https://pay.ada.example/c/pay/1'`);
  const answer = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect([answer.status, answer.headers.location]).toEqual([200, undefined]);
  expect(answer.text).toContain(
    '<a class="button" href="https://pay.ada.example/c/pay/1">Continue to payment</a>',
  );
});

test('after too many checkouts, the forms of buyers are shown again with 429 and Retry-After', async () => {
  await using app = await startSellingSite({
    limits: {
      ...{ normal: 'off', moderate: 'off', site: 'off' },
      strict: { perMinute: 1, burst: 1 },
    },
  });
  const { id } = await app.sellPost();
  const begun = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect(begun.status).toBe(303);
  const answer = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '60']);
  expect(answer.text).toContain(`action="/buy/${id}"`);
  expect(answer.text).toContain(`value="${grace}"`);
  const signIn = `${String(begun.headers.location).replace('demo', 'done')}/sign-in`;
  const refused = await app.visit(signIn, { form: {} });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
  expect(refused.text).toContain(`action="${signIn}"`);
});
