import { expect, test } from 'vitest';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { type StripeSite, startConnectedSite, startSellingSite } from '../support/selling-site.ts';
import { begin, created, grace, rowsOf } from '../support/stripe-checkouts.ts';
import { createVisitor } from '../support/visitor.ts';

// Checkouts at Stripe, against the stand-in.

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
