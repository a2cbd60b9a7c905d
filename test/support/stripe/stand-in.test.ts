import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { TestClock } from '../clock.ts';
import { type StripeStandIn, startStripe } from './index.ts';

const clientOf = ({ url }: StripeStandIn, key: string, timeout = 10_000) =>
  new Stripe(key, {
    ...{ host: url.hostname, port: url.port, protocol: 'http', timeout },
    ...{ telemetry: false, maxNetworkRetries: 0 },
  });

async function start(options: { livemode?: boolean } = {}) {
  const clock = new TestClock();
  const standIn = await startStripe({ now: () => clock.now() });
  const account = standIn.createAccount(options);
  const stripe = clientOf(standIn, account.key);
  const product = await stripe.products.create({ name: 'The price of sleep' });
  const price = { currency: 'eur', product: product.id, tax_behavior: 'inclusive' as const };
  const shared = {
    metadata: { site: 's1', checkout: 'c1' },
    ...{ customer_email: 'grace@example.com', success_url: 'https://a.example/done' },
  };
  const payment = (values: Partial<Stripe.Checkout.SessionCreateParams> = {}) => ({
    ...{ ...shared, mode: 'payment' as const },
    line_items: [{ quantity: 1, price_data: { ...price, unit_amount: 4_900 } }],
    payment_intent_data: { metadata: { site: 's1' }, receipt_email: 'grace@example.com' },
    ...values,
  });
  const monthly = { ...price, unit_amount: 500, recurring: { interval: 'month' as const } };
  const membership = (trial?: number) => ({
    ...{ ...shared, mode: 'subscription' as const },
    line_items: [{ quantity: 1, price_data: monthly }],
    subscription_data: { metadata: { site: 's1' }, ...(trial ? { trial_period_days: trial } : {}) },
  });
  return { clock, standIn, account, stripe, payment, membership };
}

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: Stripe.errors.StripeError) => ({
      type: error.type,
      status: error.statusCode,
      message: error.message,
    }),
  );

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

test('in the Stripe stand-in, an idempotency key returns the first answer, refuses other parameters, and keeps failures', async () => {
  const { clock, standIn, account, stripe, payment } = await start();
  await using _ = standIn;
  const options = { idempotencyKey: 'c1-1' };
  const first = await stripe.checkout.sessions.create(payment(), options);
  expect(await stripe.checkout.sessions.create(payment(), options)).toEqual(first);
  const other = payment({ customer_email: 'ada@example.com' });
  expect(await errorOf(stripe.checkout.sessions.create(other, options))).toMatchObject({
    ...{ type: 'StripeIdempotencyError', status: 400 },
  });
  standIn.next('500 after');
  const second = { idempotencyKey: 'c1-2' };
  for (const _ of [1, 2])
    expect(await errorOf(stripe.checkout.sessions.create(payment(), second))).toMatchObject({ status: 500 });
  expect(standIn.ledger(account.id).sessions).toHaveLength(2);
  clock.advance({ hours: 25 });
  expect((await stripe.checkout.sessions.create(payment(), second)).status).toBe('open');
  expect(standIn.calls.slice(-2)).toMatchObject([
    { method: 'POST', path: '/v1/checkout/sessions', idempotencyKey: 'c1-2' },
    { method: 'POST', path: '/v1/checkout/sessions', body: { line_items: [{ quantity: '1' }] } },
  ]);
});

test('in the Stripe stand-in, a concurrent call with the same idempotency key is refused', async () => {
  const { standIn, stripe, payment } = await start();
  await using _ = standIn;
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  standIn.onCall((_, timestamp) => {
    arrive();
    return timestamp === 'before' ? mayGoOn : undefined;
  });
  const first = stripe.checkout.sessions.create(payment(), { idempotencyKey: 'c1-1' });
  await arrived;
  expect(await errorOf(stripe.checkout.sessions.create(payment(), { idempotencyKey: 'c1-1' }))).toMatchObject(
    {
      ...{ status: 409 },
    },
  );
  goOn();
  const made = await first;
  expect(await stripe.checkout.sessions.create(payment(), { idempotencyKey: 'c1-1' })).toEqual(made);
});

test('in the Stripe stand-in, unknown, missing and contradicting parameters are refused', async () => {
  const { standIn, account, stripe, payment, membership } = await start();
  await using _ = standIn;
  const cases: [object, string][] = [
    [{ ...payment(), price: 3 }, 'Received unknown parameter: price'],
    [
      { ...payment(), payment_intent_data: { metdata: { a: 'b' } } },
      'Received unknown parameter: payment_intent_data[metdata]',
    ],
    [{ ...payment(), success_url: undefined }, 'Missing required param: success_url.'],
    [
      { ...membership(), payment_intent_data: { description: 'x' } },
      'You can not pass `payment_intent_data` in `subscription` mode.',
    ],
    [
      { ...payment(), customer_creation: 'always', customer: 'cus_x' },
      'You may only specify one of these parameters: customer, customer_email.',
    ],
    [payment({ locale: 'xx' }), 'Invalid locale: xx'],
    [
      { ...membership(), mode: 'payment', subscription_data: undefined },
      'In `payment` mode, prices must not be recurring.',
    ],
  ];
  for (const [parameters, message] of cases)
    expect(
      await errorOf(stripe.rawRequest('POST', '/v1/checkout/sessions', { ...parameters })),
    ).toMatchObject({
      ...{ type: 'StripeInvalidRequestError', message },
    });
  expect(standIn.ledger(account.id).sessions).toEqual([]);
  expect(await errorOf(stripe.checkout.sessions.retrieve('cs_test_none'))).toMatchObject({ status: 404 });
});

test('in the Stripe stand-in, an API key needs permissions, and ends when it is revoked', async () => {
  const { standIn, account, stripe } = await start();
  await using _ = standIn;
  const { key } = standIn.createAccount({
    id: account.id,
    permissions: { webhook: 'none', product: 'read' },
  });
  const restricted = clientOf(standIn, key);
  expect((await restricted.accounts.retrieveCurrent()).id).toBe(account.id);
  expect((await restricted.products.list()).data).toHaveLength(1);
  expect(await errorOf(restricted.products.create({ name: 'x' }))).toMatchObject({
    type: 'StripePermissionError',
  });
  expect(await errorOf(restricted.webhookEndpoints.list())).toMatchObject({ status: 403 });
  standIn.revokeKey(account.key);
  expect(await errorOf(stripe.products.list())).toMatchObject({
    type: 'StripeAuthenticationError',
    status: 401,
  });
});

test('in the Stripe stand-in, test and live mode of an account share nothing', async () => {
  const { standIn, account, stripe, payment } = await start();
  await using _ = standIn;
  const live = clientOf(standIn, standIn.createAccount({ id: account.id, livemode: true }).key);
  const { id } = await stripe.checkout.sessions.create(payment());
  expect(id).toMatch(/^cs_test_/);
  expect(await errorOf(live.checkout.sessions.retrieve(id))).toMatchObject({ status: 404 });
  expect((await live.products.list()).data).toEqual([]);
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

test("in the Stripe stand-in, webhooks have signatures that Stripe's package verifies, and can be late, doubled, lost and repeated", async () => {
  const { clock, standIn, stripe, payment } = await start();
  await using _ = standIn;
  const received: { body: string; signature: string }[] = [];
  let status = 200;
  const receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ body, signature: String(request.headers['stripe-signature']) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const { secret = '' } = await stripe.webhookEndpoints.create({
    ...{ url: 'https://a.example/hooks/stripe/x', enabled_events: ['checkout.session.completed'] },
  });
  standIn.webhooks.sendTo(new URL(`http://127.0.0.1:${port}`));
  const buy = async () => standIn.pay((await stripe.checkout.sessions.create(payment())).id);
  const count = async (run: () => Promise<void>) => {
    const before = received.length;
    await run();
    await standIn.webhooks.idle();
    return received.length - before;
  };
  expect(await count(buy)).toBe(1);
  const [{ body, signature } = { body: '', signature: '' }] = received;
  const at = Math.floor(clock.now().getTime() / 1_000);
  const event = Stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, at);
  expect(event).toMatchObject({
    type: 'checkout.session.completed',
    data: { object: { status: 'complete' } },
  });
  expect(() => Stripe.webhooks.constructEvent(body, signature, 'whsec_other', 300, undefined, at)).toThrow();
  standIn.faults.duplicate = 1;
  expect(await count(buy)).toBe(2);
  standIn.recover();
  standIn.faults.drop = 1;
  expect(await count(buy)).toBe(0);
  standIn.recover();
  standIn.faults.delay = true;
  expect(await count(buy)).toBe(0);
  standIn.recover();
  expect(await count(() => standIn.webhooks.sendHeld())).toBe(1);
  status = 500;
  expect(await count(buy)).toBe(1);
  status = 200;
  expect(await count(() => standIn.webhooks.sendHeld())).toBe(1);
  expect(await count(() => standIn.webhooks.sendHeld())).toBe(0);
  standIn.faults.shuffle = true;
  expect(await count(async () => void (await Promise.all([buy(), buy(), buy()])))).toBe(0);
  expect(await count(() => standIn.webhooks.sendHeld())).toBe(3);
  receiver.closeAllConnections();
  await new Promise((closed) => receiver.close(closed));
});

test('in the Stripe stand-in, calls of one account can be switched to be refused, fail, hang and lose their answers', async () => {
  const { standIn, account, stripe, payment } = await start();
  await using _ = standIn;
  const other = clientOf(standIn, standIn.createAccount().key);
  standIn.faults.account = account.id;
  standIn.faults.status429 = 1;
  expect(await errorOf(stripe.products.list())).toMatchObject({ type: 'StripeRateLimitError', status: 429 });
  expect((await other.products.list()).data).toEqual([]);
  standIn.recover();
  standIn.next('500');
  expect(await errorOf(stripe.products.list())).toMatchObject({ type: 'StripeAPIError', status: 500 });
  standIn.next('hang');
  const impatient = clientOf(standIn, account.key, 50);
  expect(await errorOf(impatient.products.list())).toMatchObject({ type: 'StripeConnectionError' });
  // The client repeats a call once if the connection closes, with the same key.
  standIn.next('cut');
  expect((await stripe.checkout.sessions.create(payment())).status).toBe('open');
  expect(standIn.ledger(account.id).sessions).toHaveLength(1);
  const timestamps: string[] = [];
  standIn.onCall(({ path }, timestamp) => void timestamps.push(`${timestamp} ${path}`));
  await standIn.kill();
  expect(await errorOf(stripe.products.list())).toMatchObject({ type: 'StripeConnectionError' });
  await standIn.restart();
  expect((await stripe.products.list()).data).toHaveLength(1);
  expect(timestamps).toEqual(['before /v1/products', 'after /v1/products']);
});
