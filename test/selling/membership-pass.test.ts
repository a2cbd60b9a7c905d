import { expect, test } from 'vitest';
import { findConnection } from '../../shared/selling/connection.ts';
import { type SyncScope, syncSubscription } from '../../shared/selling/sync-objects.ts';
import { checkouts, members, startSales } from '../support/sales-passes.ts';

// Memberships that a sync pass stores.

const days = (count: number) => count * 86_400_000;

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
