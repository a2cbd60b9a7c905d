import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { chargeOf, checkouts, members, paid, sales, startSales } from '../support/sales-passes.ts';
import { startTestWorker } from '../support/worker.ts';

// Purchases that a sync pass stores, and when passes run.

test('a paid session is one purchase with one event, however often passes run', async () => {
  await using app = await startSales();
  const { session, id } = await app.begin(app.offers.post);
  await app.passNow();
  expect(await checkouts(app)).toEqual([{ state: 'open' }]);
  await app.stripe.pay(session);
  for (let pass = 0; pass < 3; pass++) await app.passNow();
  expect(await sales(app)).toEqual([paid]);
  expect(await checkouts(app)).toEqual([{ state: 'paid' }]);
  expect(await app.events()).toMatchObject([
    {
      event: 'purchase.completed',
      data: {
        buyer_email: 'grace@example.com',
        content_type: 'posts',
        content_id: app.ids.post,
        amount: 49,
        currency: 'EUR',
      },
    },
  ]);
  const [row] = await app.rows<Record<string, unknown>>('select * from purchases');
  expect(row).toMatchObject({
    provider: 'stripe',
    offer_id: app.offers.post.id,
    account_key: app.account.id,
  });
  expect(row?.external_id).toMatch(/^pi_/);
  expect(id).toBeDefined();
});

test('the purchase belongs to the email address that the buyer gave to the site, not to the one given to Stripe', async () => {
  await using app = await startSales();
  const { session } = await app.begin(app.offers.post);
  await app.stripe.pay(session, { email: 'other@example.com' });
  await app.passNow();
  expect(await sales(app)).toEqual([paid]);
});

test('a bought course enrolls its buyer', async () => {
  await using app = await startSales();
  const course = {
    title: 'Locks',
    interval: 'once',
    collection: 'courses',
    record_id: app.ids.course,
  } as const;
  const offer = await app.studio.offers.create.mutate({ ...course, amount: 12, currency: 'EUR' });
  await app.stripe.pay((await app.begin(offer)).session);
  await app.passNow();
  expect((await app.events()).map(({ event }) => event).sort()).toEqual([
    'course.enrolled',
    'purchase.completed',
  ]);
  expect(await app.rows('select buyer_email from enrollments')).toEqual([
    { buyer_email: 'grace@example.com' },
  ]);
});

test('a checkout with a bank payment is `paying` until the payment settles or fails', async () => {
  await using app = await startSales();
  const [one, two] = [
    await app.begin(app.offers.post),
    await app.begin(app.offers.post, { email: 'ada@example.com' }),
  ];
  await app.stripe.pay(one.session, { method: 'sepa' });
  await app.stripe.pay(two.session, { method: 'sepa' });
  await app.passNow();
  expect(await checkouts(app)).toEqual([{ state: 'paying' }, { state: 'paying' }]);
  expect(await sales(app)).toEqual([]);
  await app.stripe.settle(one.session);
  await app.stripe.fail(two.session);
  await app.passNow();
  expect((await checkouts(app)).map((row) => Object(row).state).sort()).toEqual(['failed', 'paid']);
  expect(await sales(app)).toEqual([paid]);
});

test('a checkout whose Stripe session expired unpaid is expired', async () => {
  await using app = await startSales();
  await app.begin(app.offers.post);
  app.clock.advance({ days: 2 });
  app.stripe.passTime();
  await app.passNow();
  expect(await checkouts(app)).toEqual([{ state: 'expired' }]);
  expect(await app.events()).toEqual([]);
});

test('refunds and disputes change the state of their purchase, and fire no event', async () => {
  await using app = await startSales();
  const { session } = await app.begin(app.offers.post);
  await app.stripe.pay(session);
  await app.passNow();
  const charge = await chargeOf(app, session);
  await app.stripe.refund(charge, 1_000);
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, refunded_amount: 10 }]);
  const dispute = await app.stripe.dispute(charge);
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, refunded_amount: 10, state: 'disputed', dispute: 'open' }]);
  await app.stripe.closeDispute(dispute.id, 'won');
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, refunded_amount: 10, dispute: 'won' }]);
  await app.stripe.refund(charge);
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, refunded_amount: 49, state: 'refunded', dispute: 'won' }]);
  expect((await app.events()).length).toBe(1);
});

test('a refund of one of two payments leaves the other open, and a lost dispute revokes', async () => {
  await using app = await startSales();
  const [one, two] = [
    await app.begin(app.offers.post),
    await app.begin(app.offers.post, { email: 'ada@example.com' }),
  ];
  for (const { session } of [one, two]) await app.stripe.pay(session);
  await app.passNow();
  await app.stripe.closeDispute((await app.stripe.dispute(await chargeOf(app, one.session))).id, 'lost');
  await app.passNow();
  expect((await sales(app)).map((row) => Object(row).state).sort()).toEqual(['paid', 'revoked']);
});

test('a purchase that is refunded before the first sync pass is stored as refunded, and fires no event', async () => {
  await using app = await startSales();
  const { session } = await app.begin(app.offers.post);
  await app.stripe.pay(session);
  await app.stripe.refund(await chargeOf(app, session));
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, refunded_amount: 49, state: 'refunded' }]);
  expect(await app.events()).toEqual([]);
});

test("sync passes keep an owner's changes: a corrected email address, and revoked access", async () => {
  await using app = await startSales();
  const { session } = await app.begin(app.offers.post);
  await app.stripe.pay(session);
  await app.passNow();
  const [row] = await app.rows<{ id: string }>('select id from purchases');
  await app.studio.purchases.update.mutate({
    id: row?.id ?? '',
    buyer_email: 'hopper@example.com',
    state: 'revoked',
  });
  await app.stripe.refund(await chargeOf(app, session), 100);
  await app.passNow();
  expect(await sales(app)).toEqual([
    { ...paid, buyer_email: 'hopper@example.com', state: 'revoked', refunded_amount: 1 },
  ]);
});

test('in production, sales with a Stripe test key are recorded, but fire no event and enroll no one', async () => {
  await using app = await startSales({ config: { countsTest: false } });
  const course = {
    title: 'Locks',
    interval: 'once',
    collection: 'courses',
    record_id: app.ids.course,
  } as const;
  const offer = await app.studio.offers.create.mutate({ ...course, amount: 12, currency: 'EUR' });
  await app.stripe.pay((await app.begin(offer)).session);
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, amount: 12 }]);
  expect(await app.events()).toEqual([]);
  expect(await app.rows('select from enrollments')).toEqual([]);
});

test('in production, a live sale fires its event', async () => {
  await using app = await startSales({ livemode: true, config: { countsTest: false } });
  await app.stripe.pay((await app.begin(app.offers.post)).session);
  await app.passNow();
  expect(await sales(app)).toEqual([{ ...paid, livemode: true }]);
  expect((await app.events()).length).toBe(1);
});

test('payments and refunds in the Stripe account that the service did not begin create no rows', async () => {
  await using app = await startSales();
  for (let count = 0; count < 30; count++) {
    const made = app.stripe.payElsewhere(app.account.id, { amount: 1_000, currency: 'eur' });
    await app.stripe.refund(String(made.latest_charge));
  }
  await app.studio.payments.sync.mutate();
  await app.pass();
  expect(
    await app.rows('select from purchases union all select from memberships union all select from checkouts'),
  ).toEqual([]);
});

test('a paid checkout that a restored backup lacks is stored again, with the email address that the buyer gave to the site', async () => {
  await using app = await startSales();
  const [one, two] = [
    await app.begin(app.offers.post),
    await app.begin(app.offers.month, { email: 'ada@example.com' }),
  ];
  await app.stripe.pay(one.session, { email: 'other@example.com' });
  await app.stripe.pay(two.session);
  await app.rows('delete from checkouts');
  await app.passNow();
  expect(await sales(app)).toEqual([paid]);
  expect(await members(app)).toMatchObject([{ email: 'ada@example.com', state: 'active' }]);
  expect(await app.rows('select id, email, state from checkouts order by email')).toEqual([
    { id: two.id, email: 'ada@example.com', state: 'paid' },
    { id: one.id, email: 'grace@example.com', state: 'paid' },
  ]);
});

test('after 40 days without passes, one sync pass stores payments, ended memberships, refunds and disputes', async () => {
  await using app = await startSales();
  const [one, two, late] = [
    await app.begin(app.offers.post),
    await app.begin(app.offers.month),
    await app.begin(app.offers.post, { email: 'late@example.com' }),
  ];
  await app.stripe.pay(one.session);
  await app.stripe.pay(two.session);
  await app.passNow();
  await app.stripe.pay(late.session);
  await app.stripe.refund(await chargeOf(app, one.session));
  await app.stripe.cancel((await app.client.subscriptions.list()).data[0]?.id ?? '');
  app.clock.advance({ days: 40 });
  await app.pass();
  expect((await sales(app)).map((row) => [Object(row).buyer_email, Object(row).state])).toEqual([
    ['grace@example.com', 'refunded'],
    ['late@example.com', 'paid'],
  ]);
  expect(await members(app)).toMatchObject([{ state: 'ended' }]);
});

test('sync passes run every minute while a checkout waits for its payment and for an hour after it ended, otherwise every 15 minutes', async () => {
  await using app = await startSales();
  const waitMs = async () => Number(Object(await app.connection()).due_at) - app.clock.now().getTime();
  expect(await waitMs()).toBe(15 * 60_000);
  const { session } = await app.begin(app.offers.post);
  await app.passNow();
  expect(await waitMs()).toBe(60_000);
  await app.stripe.pay(session);
  await app.passNow();
  expect(await waitMs()).toBe(60_000);
  app.clock.advance({ minutes: 61 });
  await app.passNow();
  expect(await waitMs()).toBe(15 * 60_000);
});

test('a checkout without a Stripe session expires ten minutes after it began', async () => {
  await using app = await startSales();
  await app.begin(app.offers.post);
  await app.rows(`update checkouts set state = 'opening', session_ref = null, url = null`);
  app.clock.advance({ minutes: 9 });
  await app.passNow();
  expect(await checkouts(app)).toEqual([{ state: 'opening' }]);
  app.clock.advance({ minutes: 1 });
  await app.passNow();
  expect(await checkouts(app)).toEqual([{ state: 'expired' }]);
});

test('a revoked key breaks the connection and notifies the owners once; a valid one repairs it', async () => {
  await using app = await startSales();
  const { key } = app.stripe.createAccount({ id: app.account.id });
  await app.connect({ key });
  app.stripe.revokeKey(key);
  const jobs = () =>
    app.rows(`select from graphile_worker.jobs where task_identifier = 'tell_owner_of_payments'`);
  for (let times = 0; times < 3; times++) await app.passNow();
  expect(await app.studio.payments.get.query()).toMatchObject({ state: 'broken', reason: 'key_refused' });
  expect((await app.connection())?.due_at).toEqual(new Date(app.clock.now().getTime() + 3_600_000));
  expect((await jobs()).length).toBe(1);
  expect(await app.connect()).toMatchObject({ state: 'active', reason: null });
  await app.pass();
  expect(await app.studio.payments.get.query()).toMatchObject({ state: 'active' });
});

test('429, 500 and lost connections never break a connection, and the next pass completes the work', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.post)).session);
  for (const fate of ['429', '500', 'cut'] as const) {
    app.stripe.next(fate);
    await app.passNow();
    expect(await app.studio.payments.get.query()).toMatchObject({ state: 'active' });
  }
  await app.passNow();
  expect(await sales(app)).toEqual([paid]);
});

test('of two workers one runs the pass, and one that lost its lease commits nothing', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.post)).session);
  await app.rows('update payment_connections set due_at = ?', [app.clock.now()]);
  const calls = app.stripe.calls.length;
  await Promise.all([app.pass(), app.pass()]);
  expect(app.stripe.calls.slice(calls).filter(({ path }) => path === '/v1/events').length).toBe(1);
  await app.stripe.pay((await app.begin(app.offers.post, { email: 'ada@example.com' })).session);
  app.stripe.onCall(async ({ path }) => {
    if (!path.startsWith('/v1/checkout/sessions/')) return;
    app.stripe.onCall(() => {});
    await app.rows('update payment_connections set lease_fence = lease_fence + 1');
  });
  await app.passNow();
  expect((await sales(app)).length).toBe(1);
});

test('a sync that is requested during a pass over the Stripe account makes another pass due', async () => {
  await using app = await startSales();
  app.stripe.onCall(async () => {
    app.stripe.onCall(() => {});
    await app.studio.payments.sync.mutate();
  });
  await app.passNow();
  expect((await app.connection())?.due_at).toEqual(app.clock.now());
});

test('the worker finds due passes by itself', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.post)).session);
  await app.studio.payments.sync.mutate();
  await using _ = await startTestWorker(app, { countsTest: true });
  await eventually(async () => (await sales(app)).length === 1);
});
