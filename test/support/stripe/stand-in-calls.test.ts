import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { clientOf, errorOf, start } from './stand-in-client.ts';

// Rules of all calls at the Stripe stand-in: idempotency, parameters, keys, webhooks and faults.

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
