import { expect, test } from 'vitest';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { created, grace } from '../support/stripe-checkouts.ts';

// Checkouts at Stripe that programs start over REST, against the stand-in.

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
