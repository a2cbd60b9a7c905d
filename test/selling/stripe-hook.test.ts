import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { connectionOwner } from '../../shared/selling/connection.ts';
import { eventTypes } from '../../shared/selling/webhook-endpoint.ts';
import { unlimited } from '../support/app.ts';
import { startStripeSite } from '../support/selling-site.ts';

const secret = 'whsec_exampleSecretOfTests';

/** Connected site with the secret of a webhook endpoint, whose next pass is not due. */
async function startHook(options: Parameters<typeof startStripeSite>[0] = {}) {
  const app = await startStripeSite(options);
  await app.connect();
  await app.pass();
  const sealed = app.deps.secrets.seal(secret, connectionOwner(app.siteId));
  await app.rows(`update payment_connections set hook_id = 'we_1', hook_secret_sealed = ?`, [sealed]);
  const id = String((await app.connection())?.id);
  const sign = (payload: string, { age = 0, by = secret } = {}) => {
    const timestamp = Math.floor(app.clock.now().getTime() / 1_000) - age;
    return Stripe.webhooks.generateTestHeaderString({ payload, secret: by, timestamp });
  };
  return {
    ...app,
    id,
    sign,
    /** Sends a webhook with a valid signature, or the given header. */
    send: (payload: string, signature: string | null = sign(payload), connection = id) =>
      app.call('POST', `/hooks/stripe/${connection}`, {
        body: payload,
        headers: signature === null ? {} : { 'stripe-signature': signature },
      }),
    isDue: async () => Number(Object(await app.connection()).due_at) <= app.clock.now().getTime(),
  };
}

const event = JSON.stringify({ id: 'evt_1', object: 'event', type: 'charge.refunded' });

test('a webhook with a valid signature makes a pass due and changes nothing else, whatever its body is', async () => {
  await using app = await startHook();
  const calls = app.stripe.calls.length;
  for (const body of [event, 'not JSON', '{}', '', 'null', JSON.stringify({ object: 'v2.core.event' })]) {
    app.clock.advance({ seconds: 1 });
    await app.rows('update payment_connections set due_at = ?', [app.clock.inMinutes(15)]);
    const before = await app.connection();
    expect(await app.send(body)).toMatchObject({ status: 200, body: {} });
    expect(await app.connection()).toEqual({ ...before, due_at: app.clock.now() });
  }
  expect(app.stripe.calls.length).toBe(calls);
});

test('a webhook with a missing, wrong or stale signature is refused, and makes no pass due', async () => {
  await using app = await startHook();
  const refused = [
    null,
    '',
    't=1,v1=00',
    'nonsense',
    app.sign(event, { by: 'whsec_another' }),
    app.sign(`${event} `),
    app.sign(event, { age: 301 }),
  ];
  for (const signature of refused)
    expect([signature, (await app.send(event, signature)).status]).toEqual([signature, 400]);
  expect(await app.isDue()).toBe(false);
  expect((await app.send(event, app.sign(event, { age: 300 }))).status).toBe(200);
  expect(await app.isDue()).toBe(true);
});

test('a webhook of an unknown connection, or one without an endpoint, is not found', async () => {
  await using app = await startHook();
  for (const id of ['a'.repeat(22), 'short', '..', app.siteId, `${app.id}0`])
    expect([id, (await app.send(event, app.sign(event), id)).status]).toEqual([id, 404]);
  await app.rows('update payment_connections set hook_secret_sealed = null');
  expect((await app.send(event)).status).toBe(404);
  expect((await app.get(`/hooks/stripe/${app.id}`)).status).toBe(404);
});

test('a webhook of 256 KiB is read, and a larger one refused', async () => {
  await using app = await startHook();
  expect((await app.send('a'.repeat(256 * 1024))).status).toBe(200);
  const { status, body } = await app.send('a'.repeat(256 * 1024 + 1));
  expect([status, body]).toMatchObject([413, { error: { code: 'payload_too_large' } }]);
});

test('more than 100 webhooks a second of one connection are refused', async () => {
  await using app = await startHook();
  for (let count = 0; count < 100; count++) expect((await app.send(event)).status).toBe(200);
  const { status, headers } = await app.send(event);
  expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  app.clock.advance({ seconds: 1 });
  expect((await app.send(event)).status).toBe(200);
});

test('refused webhooks count in the tier Normal by address; accepted ones do not', async () => {
  await using app = await startHook({ limits: { ...unlimited, normal: { perMinute: 60, burst: 2 } } });
  for (let count = 0; count < 5; count++) expect((await app.send(event)).status).toBe(200);
  expect((await app.send(event, 'wrong')).status).toBe(400);
  expect((await app.send(event, 'wrong')).status).toBe(400);
  expect((await app.send(event, 'wrong')).status).toBe(429);
  expect((await app.send(event)).status).toBe(200);
});

test('a service with a public https address creates the endpoint, whose webhooks arrive, and removes it', async () => {
  await using app = await startStripeSite();
  const publicUrl = new URL('https://ada.example.com');
  app.deps.config.publicUrl = publicUrl;
  app.stripe.webhooks.sendTo(new URL(app.baseUrl));
  expect(await app.connect()).toMatchObject({ state: 'active', webhook: true });
  const { data: endpoints } = await app.client.webhookEndpoints.list();
  const url = `https://ada.example.com/hooks/stripe/${(await app.connection())?.id}`;
  expect(endpoints).toMatchObject([{ url, status: 'enabled', enabled_events: eventTypes }]);
  expect(eventTypes.length).toBe(16);
  await app.pass();
  const offer = await app.sellPost();
  await app.stripe.pay((await app.begin(offer)).session);
  await app.stripe.webhooks.idle();
  expect(app.stripe.webhooks.statuses).toEqual([200]);
  await app.pass();
  expect((await app.rows('select from purchases')).length).toBe(1);
  await app.studio.payments.disconnect.mutate();
  expect((await app.client.webhookEndpoints.list()).data).toEqual([]);
});

test('a sync pass that runs while a Stripe account is being connected creates no second webhook endpoint', async () => {
  await using app = await startStripeSite();
  const publicUrl = new URL('https://ada.example.com');
  app.deps.config.publicUrl = publicUrl;
  app.stripe.onCall(async ({ method, path }) => {
    if (method !== 'POST' || path !== '/v1/webhook_endpoints') return;
    app.stripe.onCall(() => {});
    await app.pass();
  });
  await app.connect();
  await app.pass();
  const { data } = await app.client.webhookEndpoints.list();
  expect(data).toHaveLength(1);
  expect(await app.connection()).toMatchObject({ hook_id: data[0]?.id, seen_at: app.clock.now() });
});

test('a missing or disabled endpoint is created again within a day', async () => {
  await using app = await startStripeSite();
  const publicUrl = new URL('https://ada.example.com');
  app.deps.config.publicUrl = publicUrl;
  await app.connect();
  await app.pass();
  const endpoints = async () => (await app.client.webhookEndpoints.list()).data;
  const [first] = await endpoints();
  await app.client.webhookEndpoints.update(first?.id ?? '', { disabled: true });
  app.clock.advance({ days: 1 });
  await app.pass();
  const second = await endpoints();
  expect(second).toMatchObject([{ status: 'enabled', url: first?.url }]);
  expect(await app.connection()).toMatchObject({ hook_id: second[0]?.id });
  app.clock.advance({ days: 1 });
  await app.pass();
  expect(await endpoints()).toEqual(second);
});

test('a key that may not create endpoints connects, and its sales are polled', async () => {
  await using app = await startStripeSite();
  app.deps.config.publicUrl = new URL('https://ada.example.com');
  const { key } = app.stripe.createAccount({ permissions: { webhook: 'none' } });
  expect(await app.connect({ key })).toMatchObject({ state: 'active', webhook: false });
});

test('the path of webhooks is not an operation of the API', async () => {
  await using app = await startStripeSite();
  const { body } = await app.get('/openapi.json');
  const { paths } = body as { paths: object };
  expect(Object.keys(paths).filter((path) => path.includes('hooks/stripe'))).toEqual([]);
});
