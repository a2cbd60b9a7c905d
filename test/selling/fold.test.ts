import type { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { purchaseStateOf } from '../../shared/contract/audience/purchase.ts';
import { foldCheckout, foldMembership, foldPurchase, reversalsOf } from '../../shared/selling/fold.ts';
import { startStripeSite } from '../support/selling-site.ts';

const as_of = new Date('2026-02-01T00:00:00Z');

/** Objects of a sold record and of a membership, as the stand-in returns them. */
async function startObjects() {
  const app = await startStripeSite();
  const { session } = await app.begin(await app.sellPost());
  const { session: joined } = await app.begin(await app.sellMembership());
  await app.stripe.pay(session);
  await app.stripe.pay(joined);
  const paid = await app.client.checkout.sessions.retrieve(session);
  const [charge] = (await app.client.charges.list({ payment_intent: String(paid.payment_intent) })).data;
  const { data } = await app.client.subscriptions.list({ expand: ['data.latest_invoice'] });
  const [subscription] = data;
  if (!charge || !subscription) throw new Error('the stand-in lacks objects');
  const { id: disputeId } = await app.stripe.dispute(charge.id);
  const dispute = await app.client.disputes.retrieve(disputeId);
  return { ...app, paid, charge, subscription, dispute };
}

test('each status of a Stripe dispute has its state; a lost dispute outweighs an open one, and an open one a won one', async () => {
  await using app = await startObjects();
  const stateOf = (...statuses: Stripe.Dispute.Status[]) => {
    const disputes = statuses.map((status) => ({ ...app.dispute, status }));
    return reversalsOf(app.charge, disputes).dispute;
  };
  for (const status of [
    'needs_response',
    'under_review',
    'appeal_needs_response',
    'appeal_under_review',
  ] as const)
    expect([status, stateOf(status)]).toEqual([status, 'open']);
  for (const status of [
    'warning_needs_response',
    'warning_under_review',
    'warning_closed',
    'prevented',
  ] as const)
    expect([status, stateOf(status)]).toEqual([status, 'none']);
  expect(stateOf()).toBe('none');
  expect(stateOf('won', 'needs_response')).toBe('open');
  expect(stateOf('won', 'lost', 'needs_response')).toBe('lost');
  expect(stateOf('warning_closed', 'won')).toBe('won');
});

test('folding a purchase again, with older and newer reversals, ends in the state of the newest', async () => {
  await using app = await startObjects();
  const states = [
    reversalsOf({ ...app.charge, amount_refunded: 4_900 }, [{ ...app.dispute, status: 'won' }]),
    reversalsOf({ ...app.charge, amount_refunded: 1_000 }, [app.dispute]),
    reversalsOf({ ...app.charge, amount_refunded: 0 }, []),
  ];
  const first = foldPurchase(null, app.paid, null);
  expect(first).toMatchObject({
    amount: 49,
    currency: 'EUR',
    refunded_amount: 0,
    dispute: 'none',
    livemode: false,
  });
  for (const newest of states) {
    let row = first;
    for (const reversals of [...states, newest, newest]) row = foldPurchase(row, app.paid, reversals);
    expect(row).toEqual(foldPurchase(null, app.paid, newest));
  }
  const stateOf = (index: number) => {
    const row = foldPurchase(null, app.paid, states[index] ?? null);
    return row && purchaseStateOf({ ...row, revoked_at: null });
  };
  expect([stateOf(0), stateOf(1), stateOf(2)]).toEqual(['refunded', 'disputed', 'paid']);
});

test("a checkout session is a purchase only once it is paid; a free one is a purchase of 0 with the session's ID", async () => {
  await using app = await startObjects();
  const { paid } = app;
  for (const payment_status of ['unpaid'] as const)
    expect(foldPurchase(null, { ...paid, payment_status }, null)).toBeNull();
  for (const status of ['open', 'expired'] as const)
    expect(foldPurchase(null, { ...paid, status }, null)).toBeNull();
  const free = {
    ...paid,
    payment_status: 'no_payment_required',
    payment_intent: null,
    amount_total: 0,
  } as const;
  expect(foldPurchase(null, free, null)).toMatchObject({ external_id: paid.id, amount: 0 });
});

test.for([
  ['isk', 120_000, 1_200],
  ['jpy', 500, 500],
  ['kwd', 1_250, 1.25],
] as const)('an amount in %s is stored in its unit', async ([currency, amount_total, amount]) => {
  await using app = await startObjects();
  expect(foldPurchase(null, { ...app.paid, currency, amount_total }, null)).toMatchObject({
    ...{ currency: currency.toUpperCase(), amount },
  });
});

test('a paid checkout stays paid, and only a payment changes an expired one', async () => {
  await using app = await startObjects();
  const { paid } = app;
  const open = { ...paid, status: 'open', payment_status: 'unpaid' } as const;
  const expired = { ...paid, status: 'expired', payment_status: 'unpaid' } as const;
  const pending = { ...paid, payment_status: 'unpaid' } as const;
  for (const session of [open, expired, pending]) expect(foldCheckout('paid', session)).toBe('paid');
  expect(foldCheckout('opening', open)).toBe('open');
  expect(foldCheckout('open', open)).toBe('open');
  expect(foldCheckout('expired', open)).toBe('expired');
  expect(foldCheckout('expired', paid)).toBe('paid');
  expect(foldCheckout('expired', pending)).toBe('paying');
  expect(foldCheckout('open', expired)).toBe('expired');
  expect(foldCheckout('failed', paid)).toBe('paid');
});

test('an expired Stripe session does not end a checkout that another session has completed', async () => {
  await using app = await startObjects();
  const expired = { ...app.paid, status: 'expired', payment_status: 'unpaid' } as const;
  expect([foldCheckout('paying', expired), foldCheckout('failed', expired)]).toEqual(['paying', 'failed']);
});

test('an incomplete Stripe subscription is not a membership, and an older subscription object changes nothing', async () => {
  await using app = await startObjects();
  const { subscription } = app;
  for (const status of ['incomplete', 'incomplete_expired'] as const)
    expect(foldMembership(null, { ...subscription, status }, { as_of, last: null })).toBeNull();
  const row = foldMembership(null, subscription, { as_of, last: null });
  expect(row).toMatchObject({
    state: 'active',
    blocked: false,
    interval: 'month',
    amount: 5,
    currency: 'EUR',
  });
  expect(foldMembership(row, { ...subscription, status: 'canceled' }, { as_of: new Date(0) })).toEqual(row);
  expect(foldMembership(row, { ...subscription, status: 'incomplete' }, { as_of })).toEqual(row);
  expect(foldMembership(row, subscription, { as_of })).toEqual(row);
});

test('a membership whose latest invoice is unpaid is open for 30 days from the beginning of its period', async () => {
  await using app = await startObjects();
  const { subscription } = app;
  const [item] = subscription.items.data;
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  const days = (seconds: number | undefined, count: number) =>
    new Date((seconds ?? 0) * 1_000 + count * 86_400_000);
  for (const status of ['draft', 'open', 'uncollectible', 'void'] as const) {
    const latest_invoice = { ...invoice, status };
    const row = foldMembership(null, { ...subscription, latest_invoice }, { as_of, last: null });
    expect(row?.open_until).toEqual(days(item?.current_period_start, 30));
  }
  const row = foldMembership(null, { ...subscription, latest_invoice: null }, { as_of, last: null });
  expect(row?.open_until).toEqual(days(item?.current_period_end, 3));
  const late = foldMembership(null, { ...subscription, status: 'past_due' }, { as_of, last: null });
  expect(late?.open_until).toEqual(days(item?.current_period_start, 30));
});

test('a membership is blocked as long as its last payment is refunded in full, or has an open or lost dispute', async () => {
  await using app = await startObjects();
  const { subscription, charge, dispute } = app;
  const blockedBy = (last: ReturnType<typeof reversalsOf> | null | undefined, row = { blocked: true }) => {
    const stored = foldMembership(null, subscription, { as_of, last: null });
    return foldMembership(stored && { ...stored, ...row }, subscription, { as_of, last })?.blocked;
  };
  expect(blockedBy(reversalsOf({ ...charge, amount_refunded: 4_900 }, []))).toBe(true);
  expect(blockedBy(reversalsOf({ ...charge, amount_refunded: 4_899 }, []))).toBe(false);
  expect(blockedBy(reversalsOf(charge, [dispute]))).toBe(true);
  expect(blockedBy(reversalsOf(charge, [{ ...dispute, status: 'lost' }]))).toBe(true);
  expect(blockedBy(reversalsOf(charge, [{ ...dispute, status: 'won' }]))).toBe(false);
  expect(blockedBy(null)).toBe(false);
  expect(blockedBy(undefined)).toBe(true);
  expect(blockedBy(undefined, { blocked: false })).toBe(false);
});
