import { expect, test } from 'vitest';
import { errorOf, start } from './stand-in-client.ts';

// Objects of the Stripe stand-in.

test('in the Stripe stand-in, a card pays a session, which names the payment, whose charge has a receipt', async () => {
  const { standIn, stripe, payment } = await start();
  await using _ = standIn;
  const session = await stripe.checkout.sessions.create(payment());
  expect(session).toMatchObject({
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
    amount_total: 4_900,
  });
  await standIn.pay(session.id);
  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent.latest_charge'],
  });
  expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null, customer: null });
  expect(paid.payment_intent).toMatchObject({
    metadata: { site: 's1' },
    latest_charge: { paid: true, amount: 4_900, receipt_email: 'grace@example.com' },
  });
  await expect(standIn.pay(session.id)).rejects.toThrow('is complete');
  expect(await errorOf(stripe.checkout.sessions.expire(session.id))).toMatchObject({ status: 400 });
});

test('in the Stripe stand-in, a session expires by its time, and by a call', async () => {
  const { clock, standIn, stripe, payment } = await start();
  await using _ = standIn;
  const expires_at = Math.floor(clock.now().getTime() / 1_000) + 2_700;
  const [byTime, byCall] = [
    await stripe.checkout.sessions.create(payment({ expires_at })),
    await stripe.checkout.sessions.create(payment()),
  ];
  expect((await stripe.checkout.sessions.expire(byCall.id)).status).toBe('expired');
  clock.advance({ minutes: 45 });
  expect((await stripe.checkout.sessions.retrieve(byTime.id)).status).toBe('expired');
  const events = await stripe.events.list({ types: ['checkout.session.expired'] });
  expect(events.data.map(({ data }) => data.object)).toMatchObject([{ id: byTime.id }, { id: byCall.id }]);
  const tooSoon = payment({ expires_at: expires_at + 60 });
  expect(await errorOf(stripe.checkout.sessions.create(tooSoon))).toMatchObject({ status: 400 });
});

test('in the Stripe stand-in, a bank account is charged later, which may fail', async () => {
  const { standIn, stripe, payment } = await start();
  await using _ = standIn;
  const sessions = [
    await stripe.checkout.sessions.create(payment()),
    await stripe.checkout.sessions.create(payment()),
  ];
  for (const { id } of sessions) await standIn.pay(id, { method: 'sepa' });
  const [settled, failed] = sessions.map(({ id }) => id);
  expect(await stripe.checkout.sessions.retrieve(String(settled))).toMatchObject({
    ...{ status: 'complete', payment_status: 'unpaid' },
  });
  await standIn.settle(String(settled));
  await standIn.fail(String(failed));
  const expand = ['data.payment_intent'];
  const { data } = await stripe.checkout.sessions.list({ expand });
  expect(data).toMatchObject([
    { id: failed, payment_status: 'unpaid', payment_intent: { status: 'requires_payment_method' } },
    { id: settled, payment_status: 'paid', payment_intent: { status: 'succeeded' } },
  ]);
});

test('in the Stripe stand-in, a discount of the whole price needs no payment', async () => {
  const { standIn, stripe, payment } = await start();
  await using _ = standIn;
  const { id } = await stripe.checkout.sessions.create(payment());
  await standIn.pay(id, { discount: 4_900 });
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({
    ...{ payment_status: 'no_payment_required', amount_total: 0, payment_intent: null },
  });
});

test("the Stripe stand-in takes a membership through trial, renewal, failed renewal, late payment, and cancellation at the period's end", async () => {
  const { clock, standIn, account, stripe, membership } = await start();
  await using _ = standIn;
  const { id } = await stripe.checkout.sessions.create(membership(14));
  await standIn.pay(id);
  const session = await stripe.checkout.sessions.retrieve(id, { expand: ['subscription.latest_invoice'] });
  expect(session).toMatchObject({
    payment_status: 'no_payment_required',
    subscription: {
      status: 'trialing',
      metadata: { site: 's1' },
      latest_invoice: { status: 'paid', amount_paid: 0 },
    },
  });
  const [subscription] = standIn.ledger(account.id).subscriptions;
  if (!subscription) throw new Error('no subscription');
  const periodOf = async () => {
    const { status, items } = await stripe.subscriptions.retrieve(subscription.id);
    const [item] = items.data;
    const days = ((item?.current_period_end ?? 0) - clock.now().getTime() / 1_000) / 86_400;
    return [status, Math.round(days)];
  };
  expect(await periodOf()).toEqual(['trialing', 14]);
  clock.advance({ days: 14 });
  await standIn.renew(subscription.id);
  expect(await periodOf()).toEqual(['active', 28]);
  clock.advance({ days: 28 });
  await standIn.failRenewal(subscription.id);
  expect(await periodOf()).toEqual(['past_due', 31]);
  await standIn.payOverdue(subscription.id);
  expect(await periodOf()).toEqual(['active', 31]);
  const [latest] = (await stripe.invoices.list({ subscription: subscription.id, expand: ['data.payments'] }))
    .data;
  expect(latest).toMatchObject({ status: 'paid', billing_reason: 'subscription_cycle' });
  const paidBy = String(latest?.payments?.data[0]?.payment.payment_intent);
  const found = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paidBy },
  });
  expect(found.data.map(({ invoice }) => invoice)).toEqual([latest?.id]);
  await standIn.cancel(subscription.id, { atPeriodEnd: true });
  expect(await periodOf()).toEqual(['active', 31]);
  clock.advance({ days: 31 });
  expect((await periodOf())[0]).toBe('canceled');
  expect((await stripe.subscriptions.list()).data).toEqual([]);
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toHaveLength(1);
});

test('in the Stripe stand-in, refunds and disputes change the charge, and are listed by it', async () => {
  const { standIn, account, stripe, payment } = await start();
  await using _ = standIn;
  const { id } = await stripe.checkout.sessions.create(payment());
  await standIn.pay(id);
  const [charge = ''] = standIn.ledger(account.id).charges.map((one) => one.id);
  await standIn.refund(charge, 900);
  expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 900, refunded: false });
  const rest = await standIn.refund(charge);
  expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 4_900, refunded: true });
  await standIn.failRefund(rest.id);
  expect(await stripe.charges.retrieve(charge, { expand: ['refunds'] })).toMatchObject({
    ...{ amount_refunded: 900, refunded: false },
    refunds: { data: [{ status: 'succeeded' }, { status: 'failed' }] },
  });
  const dispute = await standIn.dispute(charge, { isInquiry: true });
  await standIn.escalateDispute(dispute.id);
  await standIn.closeDispute(dispute.id, 'lost');
  expect((await stripe.disputes.list({ charge })).data).toMatchObject([{ id: dispute.id, status: 'lost' }]);
  const { data } = await stripe.events.list({
    types: ['charge.refunded', 'refund.failed', 'charge.dispute.closed'],
  });
  expect(data.map(({ type }) => type)).toEqual([
    ...['charge.dispute.closed', 'refund.failed', 'charge.refunded', 'charge.refunded'],
  ]);
});

test('in the Stripe stand-in, events are listed newest first in pages, by type and time, for 30 days', async () => {
  const { clock, standIn, stripe, payment } = await start();
  await using _ = standIn;
  const ids: string[] = [];
  for (let made = 0; made < 5; made += 1) {
    const { id } = await stripe.checkout.sessions.create(payment());
    await standIn.pay(id);
    ids.unshift(id);
    clock.advance({ seconds: 10 });
  }
  const types = ['checkout.session.completed'];
  const pages: string[][] = [];
  let after: string | undefined;
  for (;;) {
    const found = await stripe.events.list({ types, limit: 2, ...(after ? { starting_after: after } : {}) });
    pages.push(found.data.map(({ data }) => ('id' in data.object ? String(data.object.id) : '')));
    after = found.data.at(-1)?.id;
    if (!found.has_more) break;
  }
  expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  const gte = Math.floor(clock.now().getTime() / 1_000) - 25;
  expect((await stripe.events.list({ types, created: { gte } })).data).toHaveLength(2);
  clock.advance({ days: 31 });
  expect((await stripe.events.list()).data).toEqual([]);
});

test('in the Stripe stand-in, the portal opens for existing customers only', async () => {
  const { standIn, account, stripe, membership } = await start();
  await using _ = standIn;
  await standIn.pay((await stripe.checkout.sessions.create(membership())).id);
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      ...{ payment_method_update: { enabled: true }, invoice_history: { enabled: true } },
    },
  });
  const [customer = ''] = standIn.ledger(account.id).customers.map(({ id }) => id);
  const open = () =>
    stripe.billingPortal.sessions.create({
      customer,
      configuration: configuration.id,
      return_url: 'https://a.example/account',
    });
  expect((await open()).url).toMatch(/^https:\/\/billing\.stripe\.com\//);
  await standIn.deleteCustomer(customer);
  expect(await errorOf(open())).toMatchObject({ status: 400, message: `No such customer: '${customer}'` });
});
