import { expect, test } from 'vitest';
import { findConnection } from '../../shared/selling/connection.ts';
import { type SyncScope, syncSubscription } from '../../shared/selling/sync-objects.ts';
import { eventually } from '../support/eventually.ts';
import { type StripeSite, startStripeSite } from '../support/selling-site.ts';
import { startTestWorker } from '../support/worker.ts';

const sales = (app: StripeSite) =>
  app.rows(
    'select buyer_email, amount::float8, currency, state, refunded_amount::float8, dispute, livemode from purchases order by created, id',
  );

const paid = {
  buyer_email: 'grace@example.com',
  amount: 49,
  currency: 'EUR',
  state: 'paid',
  refunded_amount: 0,
  dispute: 'none',
  livemode: false,
};

const members = (app: StripeSite) =>
  app.rows<{
    email: string;
    state: string;
    blocked: boolean;
    open_until: Date;
    cancel_at: Date | null;
    trial_used: boolean;
  }>(
    'select email, tiers, state, blocked, open_until, cancel_at, trial_used, interval, amount::float8, currency from memberships order by created, id',
  );

const checkouts = (app: StripeSite) => app.rows('select state from checkouts order by created, id');

const days = (count: number) => count * 86_400_000;

const chargeOf = async ({ client }: StripeSite, session: string) => {
  const { payment_intent } = await client.checkout.sessions.retrieve(session, { expand: ['payment_intent'] });
  if (!payment_intent || typeof payment_intent === 'string') throw new Error('no payment');
  return String(payment_intent.latest_charge);
};

/** Site outside production, where test sales count, with an offer. */
async function startSales(options: Parameters<typeof startStripeSite>[0] = {}) {
  const app = await startStripeSite(options);
  const offers = { post: await app.sellPost(), month: await app.sellMembership({ trial_days: null }) };
  await app.connect();
  await app.pass();
  return { ...app, offers };
}

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

test('a membership is open for its period and three days, and renews', async () => {
  await using app = await startSales();
  const { session } = await app.begin(app.offers.month);
  await app.stripe.pay(session);
  await app.passNow();
  const [subscription] = (await app.client.subscriptions.list()).data;
  const [item] = subscription?.items.data ?? [];
  const first = {
    email: 'grace@example.com',
    tiers: ['paid', 'members'],
    state: 'active',
    blocked: false,
    cancel_at: null,
    trial_used: false,
    interval: 'month',
    amount: 5,
    currency: 'EUR',
  };
  expect(await members(app)).toEqual([
    { ...first, open_until: new Date((item?.current_period_end ?? 0) * 1_000 + days(3)) },
  ]);
  expect(await app.events()).toEqual([]);
  app.clock.advance({ days: 31 });
  await app.stripe.renew(subscription?.id ?? '');
  await app.passNow();
  const [renewed] = (await app.client.subscriptions.list()).data[0]?.items.data ?? [];
  expect(await members(app)).toEqual([
    { ...first, open_until: new Date((renewed?.current_period_end ?? 0) * 1_000 + days(3)) },
  ]);
});

test('an unpaid renewal keeps a membership open for 30 days of the period, and paying reopens it', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.month)).session);
  await app.passNow();
  const id = (await app.client.subscriptions.list()).data[0]?.id ?? '';
  app.clock.advance({ days: 31 });
  await app.stripe.failRenewal(id);
  await app.passNow();
  const [item] = (await app.client.subscriptions.retrieve(id)).items.data;
  expect(await members(app)).toMatchObject([
    { state: 'past_due', open_until: new Date((item?.current_period_start ?? 0) * 1_000 + days(30)) },
  ]);
  await app.stripe.payOverdue(id);
  await app.passNow();
  expect(await members(app)).toMatchObject([
    { state: 'active', open_until: new Date((item?.current_period_end ?? 0) * 1_000 + days(3)) },
  ]);
});

test('a membership that is canceled ends with its period, or immediately', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.month)).session);
  await app.passNow();
  const id = (await app.client.subscriptions.list()).data[0]?.id ?? '';
  await app.stripe.cancel(id, { atPeriodEnd: true });
  await app.passNow();
  const [item] = (await app.client.subscriptions.retrieve(id)).items.data;
  expect(await members(app)).toMatchObject([
    { state: 'active', cancel_at: new Date((item?.current_period_end ?? 0) * 1_000) },
  ]);
  await app.stripe.cancel(id);
  await app.passNow();
  const [ended] = await members(app);
  expect(ended).toMatchObject({ state: 'ended' });
  expect(ended?.open_until.getTime()).toBeLessThanOrEqual(app.clock.now().getTime());
});

test.for(['unpaid', 'paused'] as const)(
  'a membership whose Stripe subscription is %s has ended',
  async (status) => {
    await using app = await startSales();
    await app.stripe.pay((await app.begin(app.offers.month)).session);
    await app.passNow();
    const id = (await app.client.subscriptions.list()).data[0]?.id ?? '';
    await app.stripe.setStatus(id, status);
    await app.passNow();
    const [before] = await members(app);
    expect(before).toMatchObject({ state: 'ended' });
    expect(before?.open_until.getTime()).toBeLessThanOrEqual(app.clock.now().getTime());
    app.clock.advance({ days: 2 });
    await app.passNow();
    expect(await members(app)).toEqual([before]);
  },
);

test('a full refund or an open dispute of the latest payment blocks a membership until the dispute is won or a later payment succeeds', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.month)).session);
  await app.passNow();
  const id = (await app.client.subscriptions.list()).data[0]?.id ?? '';
  const lastCharge = async () => {
    const [charge] = (await app.client.charges.list()).data;
    return charge?.id ?? '';
  };
  const dispute = await app.stripe.dispute(await lastCharge());
  await app.passNow();
  expect(await members(app)).toMatchObject([{ state: 'active', blocked: true }]);
  await app.stripe.closeDispute(dispute.id, 'won');
  await app.passNow();
  expect(await members(app)).toMatchObject([{ blocked: false }]);
  await app.stripe.refund(await lastCharge(), 100);
  await app.passNow();
  expect(await members(app)).toMatchObject([{ blocked: false }]);
  await app.stripe.refund(await lastCharge());
  await app.passNow();
  expect(await members(app)).toMatchObject([{ blocked: true }]);
  app.clock.advance({ days: 31 });
  await app.stripe.renew(id);
  await app.passNow();
  expect(await members(app)).toMatchObject([{ state: 'active', blocked: false }]);
});

test('a Stripe subscription that was fetched before the stored state changes nothing, not even its time', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.month)).session);
  await app.passNow();
  const connection = await findConnection(app.passDeps, app.siteId);
  const { data } = await app.client.subscriptions.list({ expand: ['data.latest_invoice'] });
  const [subscription] = data;
  if (!connection || !subscription) throw new Error('the site lacks a connection or a subscription');
  const stored = () => app.rows('select * from memberships');
  const before = await stored();
  const transact: SyncScope['transact'] = (work) => app.deps.database.em.fork().transactional(work);
  const scope = { deps: app.passDeps, connection, stripe: app.client, transact };
  await syncSubscription(scope, { ...subscription, status: 'canceled' }, new Date(0));
  expect(await stored()).toEqual(before);
});

test('a membership that begins with a trial is stored as trialing, and its trial counts as used', async () => {
  await using app = await startSales();
  await app.stripe.pay((await app.begin(app.offers.month, { trial: 14 })).session);
  await app.passNow();
  expect(await members(app)).toMatchObject([{ state: 'trialing', trial_used: true, blocked: false }]);
  expect(await checkouts(app)).toEqual([{ state: 'paid' }]);
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
