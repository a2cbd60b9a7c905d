import { expect, test } from 'vitest';
import { captureLog } from '../support/log.ts';
import { refusal } from '../support/rpc.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { begin, created, grace, rowsOf } from '../support/stripe-checkouts.ts';
import { createVisitor } from '../support/visitor.ts';

// Checkouts while Stripe fails or refuses, against the stand-in.

test('after a lost answer of Stripe a buyer gets the same session, and after an error of Stripe another attempt', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  app.stripe.next('cut');
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'provider_unavailable' });
  const [lost] = app.sessions().filter(({ customer_email }) => customer_email === grace);
  expect((await begin(app, id)).url).toBe(lost?.url);
  app.stripe.next('500');
  const other = 'other@example.com';
  expect(await refusal(begin(app, id, other))).toMatchObject({ code: 'provider_unavailable' });
  await begin(app, id, other);
  const keys = created(app).map(({ idempotencyKey }) => idempotencyKey?.slice(-2));
  expect(keys).toEqual(['-1', '-1', '-1', '-1', '-2']);
  const bodies = created(app).map(({ body }) => JSON.stringify(body));
  expect([bodies[1], bodies[3]]).toEqual([bodies[2], bodies[4]]);
});

test('while Stripe is unavailable, the form is shown again with 503 and Retry-After; the row was committed first', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  app.stripe.onCall(async ({ path }, when) => {
    if (path !== '/v1/checkout/sessions' || when !== 'before') return;
    expect((await rowsOf(app, 'state')).map(({ state }) => state).sort()).toEqual(['open', 'opening']);
  });
  app.stripe.next('429');
  const answer = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(answer.text).toContain('Payments are not possible here at the moment');
  expect((await app.visit(`/buy/${id}`, { form: { email: grace } })).status).toBe(303);
});

test('with a revoked Stripe key checkouts fail with payments_not_configured, and the site hides its offers from the next request on', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  expect((await createVisitor(app.baseUrl)('/posts/sleep')).text).toContain('Buy for €49');
  app.stripe.revokeKey(app.account.key);
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'payments_not_configured' });
  expect(await app.studio.payments.get.query()).toMatchObject({ state: 'broken', reason: 'key_refused' });
  expect((await createVisitor(app.baseUrl)('/posts/sleep')).text).not.toContain('Buy for');
  expect((await app.visit(`/buy/${id}`)).text).toContain('Payments are not possible here');
});

test('a refused key is logged without a part of it', async () => {
  const log = captureLog();
  await using app = await startConnectedSite({ livemode: true, logger: log.logger });
  const { id } = await app.sellPost();
  app.stripe.revokeKey(app.account.key);
  expect(await refusal(begin(app, id))).toMatchObject({ code: 'payments_not_configured' });
  expect(log.errors()).toMatchObject([{ err: { message: expect.stringContaining('Invalid API Key') } }]);
  expect(log.text()).not.toContain('rk_live');
});

test('a payment page that Stripe refuses is logged with the code of Stripe, and without the address', async () => {
  const log = captureLog();
  await using app = await startConnectedSite({ livemode: true, logger: log.logger });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  await app.deps.database.em.execute(`update offers set product_ref = 'prod_gone'`);
  expect((await app.visit(`/buy/${id}`, { form: { email: grace } })).status).toBe(503);
  const lines = log
    .text()
    .split('\n')
    .filter((line) => line.includes('Stripe refused a payment page'));
  expect(lines).toEqual([expect.stringContaining('"code":"resource_missing"')]);
  expect(log.text()).not.toContain(grace);
});

test('a refusal of Stripe is provider_refused to programs without keys in its message, and 503 in the form', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { id } = await app.sellPost();
  await begin(app, id, 'first@example.com');
  const key = await app.seed.key({ scopes: ['write:payments'] });
  const { deps } = app;
  const send = (email: string) =>
    app.post('/api/v2/checkouts', {
      key,
      body: {
        offer_id: id,
        email,
        success_url: 'http://localhost:3000/a',
        cancel_url: 'http://localhost:3000/b',
      },
    });
  await deps.database.em.execute(`update offers set product_ref = 'rk_live_123abc'`);
  expect(await send(grace)).toMatchObject({
    status: 422,
    body: { error: { code: 'provider_refused', message: expect.not.stringContaining('123abc') } },
  });
  await deps.database.em.execute(`update offers set product_ref = 'prod_gone'`);
  const form = await app.visit(`/buy/${id}`, { form: { email: grace } });
  expect([form.status, form.text.includes('prod_gone')]).toEqual([503, false]);
  // The product is created again.
  expect((await send(grace)).status).toBe(201);
});
