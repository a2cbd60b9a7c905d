import { expect, test } from 'vitest';
import { connectionOwner } from '../../shared/selling/connection.ts';
import { claimLease } from '../../worker/payments/lease.ts';
import { refusal } from '../support/rpc.ts';
import { startStripeSite } from '../support/selling-site.ts';

const none = {
  ...{ state: 'none', reason: null, livemode: null, account_name: '', webhook: false },
  ...{ automatic_tax: false, promotion_codes: false, warning: null },
};

const active = { ...none, state: 'active', livemode: false, account_name: 'Ada’s studio' };

test('a restricted key connects a Stripe account after its portal and permissions were tested, and the test leaves nothing open', async () => {
  await using app = await startStripeSite();
  expect(await app.studio.payments.get.query()).toEqual(none);
  expect(await app.connect({ promotion_codes: true })).toEqual({ ...active, promotion_codes: true });
  expect(await app.studio.payments.get.query()).toEqual({ ...active, promotion_codes: true });
  const { data: sessions } = await app.client.checkout.sessions.list();
  expect(sessions.map(({ status }) => status)).toEqual(['expired']);
  expect((await app.client.products.list()).data.map((product) => product.active)).toEqual([false]);
  const { data: portals } = await app.client.billingPortal.configurations.list();
  expect(portals.map(({ features }) => features)).toMatchObject([
    {
      ...{ customer_update: { enabled: false }, subscription_update: { enabled: false } },
      ...{ invoice_history: { enabled: true }, payment_method_update: { enabled: true } },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
    },
  ]);
  const row = await app.connection();
  expect(row).toMatchObject({ account_id: app.account.id, portal_ref: portals[0]?.id, hook_id: null });
  expect(row?.id).toMatch(/^[A-Za-z0-9]{22}$/);
  expect(row?.cursor).toEqual(new Date(app.clock.now().getTime() - 30 * 86_400_000));
});

test.for([
  ['EUR', 50],
  ['KRW', 99_999],
  ['KWD', 99_999_000],
] as const)(
  'a key is proven with a price in %s that is worth more than half a dollar',
  async ([currency, amount_total]) => {
    await using app = await startStripeSite();
    await app.studio.site.update.mutate({ currency });
    await app.connect();
    const { data: sessions } = await app.client.checkout.sessions.list();
    expect(sessions).toMatchObject([{ currency: currency.toLowerCase(), amount_total }]);
  },
);

test.for([
  'pk_test_51QxExampleExample',
  'rk_test_',
  'rk_prod_51QxExampleExample',
  '',
  'rk_test_51Qx Example',
  `rk_test_${'a'.repeat(300)}`,
])('a text that is not a key of Stripe is refused at key and not sent: %s', async (key) => {
  await using app = await startStripeSite();
  expect(await refusal(app.connect({ key }))).toEqual({
    code: 'validation_failed',
    message: expect.stringMatching(/^key: /),
  });
  expect(app.stripe.calls).toEqual([]);
});

test('a key that Stripe does not know is refused at key, and no part of it is returned', async () => {
  await using app = await startStripeSite();
  const key = 'rk_test_51QxUnknownUnknown';
  const { code, message } = await refusal(app.connect({ key }));
  expect([code, message]).toEqual(['validation_failed', expect.stringMatching(/^key: /)]);
  expect(message).not.toMatch(/rk_test|Unknown/);
  expect(await app.studio.payments.get.query()).toEqual(none);
});

test.for([
  ['event', 'none'],
  ['subscription', 'none'],
  ['payment_intent', 'none'],
  ['charge', 'none'],
  ['refund', 'none'],
  ['dispute', 'none'],
  ['invoice', 'none'],
  ['product', 'read'],
  ['checkout_session', 'read'],
  ['customer_portal', 'read'],
] as const)('a key without the permission to use %s is refused at key', async ([permission, access]) => {
  await using app = await startStripeSite();
  const { key } = app.stripe.createAccount({ permissions: { [permission]: access } });
  const { code, message } = await refusal(app.connect({ key }));
  expect([code, message]).toEqual(['validation_failed', expect.stringMatching(`^key: .*rak_${permission}_`)]);
  expect(await app.studio.payments.get.query()).toEqual(none);
});

test('a key that may not read its account connects it without a name; a key that may do everything causes a warning', async () => {
  await using app = await startStripeSite();
  const { key } = app.stripe.createAccount({ permissions: { account: 'none' } });
  expect(await app.connect({ key })).toEqual({ ...active, account_name: '' });
  expect(await app.connection()).toMatchObject({ account_id: null });
  const sealed = app.deps.secrets.seal('sk_test_51QxExampleExample', connectionOwner(app.siteId));
  await app.rows('update payment_connections set key_sealed = ?', [sealed]);
  expect((await app.studio.payments.get.query()).warning).toBe('full_access_key');
});

test('while Stripe does not answer, connecting fails with provider_unavailable and changes nothing', async () => {
  await using app = await startStripeSite();
  for (const fate of ['429', '500', 'cut'] as const) {
    app.stripe.next(fate);
    expect((await refusal(app.connect())).code).toBe('provider_unavailable');
  }
  expect(await app.studio.payments.get.query()).toEqual(none);
});

test('a new key of the same account replaces only the key and the settings', async () => {
  await using app = await startStripeSite();
  await app.connect({ automatic_tax: true });
  const before = await app.connection();
  const { key } = app.stripe.createAccount({ id: app.account.id });
  expect(await app.connect({ key, promotion_codes: true })).toEqual({
    ...{ ...active, automatic_tax: true, promotion_codes: true },
  });
  const after = await app.connection();
  expect(after?.key_sealed).not.toBe(before?.key_sealed);
  for (const column of ['id', 'account_id', 'portal_ref', 'cursor', 'created'])
    expect(after?.[column]).toEqual(before?.[column]);
  const calls = app.stripe.calls.length;
  expect(await app.connect({ key, automatic_tax: false })).toMatchObject({ automatic_tax: false });
  expect(app.stripe.calls.length).toBe(calls);
});

test('changing the Stripe account or its mode requires `confirm`; then open sessions of the old one expire and its products are forgotten', async () => {
  await using app = await startStripeSite();
  const offer = await app.sellPost();
  await app.connect();
  const first = await app.connection();
  await app.rows(`update offers set product_ref = 'prod_1'`);
  const checkout = await app.begin(offer);
  for (const other of [
    app.stripe.createAccount(),
    app.stripe.createAccount({ id: app.account.id, livemode: true }),
  ]) {
    expect(await refusal(app.connect({ key: other.key }))).toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^confirm: /),
    });
  }
  expect(await app.connection()).toEqual(first);
  app.clock.advance({ minutes: 1 });
  const { key, id } = app.stripe.createAccount({ livemode: true });
  expect(await app.connect({ key, confirm: true })).toMatchObject({ state: 'active', livemode: true });
  expect(await app.connection()).toMatchObject({
    ...{ account_id: id, livemode: true, listed_at: null },
    cursor: new Date(app.clock.now().getTime() - 30 * 86_400_000),
  });
  expect((await app.connection())?.id).not.toBe(first?.id);
  expect(await app.rows('select state from checkouts')).toEqual([{ state: 'expired' }]);
  expect((await app.client.checkout.sessions.retrieve(checkout.session)).status).toBe('expired');
  expect(await app.rows('select product_ref from offers')).toEqual([{ product_ref: null }]);
});

test('a sync pass over the previous Stripe account commits nothing after another is connected, even during the first pass of that one', async () => {
  await using app = await startStripeSite();
  await app.connect();
  const other = app.stripe.createAccount();
  app.stripe.onCall(async ({ path }) => {
    if (path !== '/v1/events') return;
    app.stripe.onCall(() => {});
    app.clock.advance({ minutes: 1 });
    await app.connect({ key: other.key, confirm: true });
    expect(await claimLease(app.passDeps, app.siteId, app.passDeps.publicUrl)).not.toBeNull();
  });
  await app.pass();
  const now = app.clock.now().getTime();
  expect(await app.connection()).toMatchObject({
    ...{ account_id: other.id, listed_at: null, seen_at: null },
    ...{ cursor: new Date(now - 30 * 86_400_000), lease_until: new Date(now + 60_000) },
  });
});

test('disconnecting counts the memberships that Stripe still charges; what was bought stays', async () => {
  await using app = await startStripeSite();
  const [post, month] = [await app.sellPost(), await app.sellMembership()];
  await app.connect();
  await app.stripe.pay((await app.begin(post)).session);
  await app.stripe.pay((await app.begin(month)).session);
  const late = await app.begin(month, { email: 'late@example.com' });
  await app.passNow();
  // Paid, and not yet noticed.
  await app.stripe.pay(late.session);
  expect(await app.studio.payments.disconnect.mutate()).toEqual({ memberships: 2 });
  expect(await app.studio.payments.get.query()).toEqual(none);
  expect(await app.rows('select buyer_email, state from purchases')).toEqual([
    { buyer_email: 'grace@example.com', state: 'paid' },
  ]);
  expect(await app.rows('select email, state from memberships order by email')).toEqual([
    { email: 'grace@example.com', state: 'active' },
    { email: 'late@example.com', state: 'active' },
  ]);
  expect((await refusal(app.studio.payments.disconnect.mutate())).code).toBe('not_found');
  expect((await refusal(app.studio.payments.sync.mutate())).code).toBe('payments_not_configured');
});

test('`payments.sync` makes a pass that lists the complete Stripe account due', async () => {
  await using app = await startStripeSite();
  await app.connect();
  await app.pass();
  expect(await app.connection()).toMatchObject({ listed_at: app.clock.now() });
  app.clock.advance({ minutes: 1 });
  expect(await app.studio.payments.sync.mutate()).toEqual({});
  expect(await app.connection()).toMatchObject({ listed_at: null, due_at: app.clock.now() });
});

test('the audit log names who connected and disconnected, and nothing of the key', async () => {
  await using app = await startStripeSite();
  await app.connect();
  await app.studio.payments.disconnect.mutate();
  const entries = await app.rows<{ action: string }>(
    `select * from audit_log where action like 'studio.payments%'`,
  );
  expect(entries.map(({ action }) => action).sort()).toEqual([
    'studio.payments.connect',
    'studio.payments.disconnect',
  ]);
  expect(JSON.stringify(entries)).not.toContain('rk_');
});

test('a database that was copied to another address neither syncs nor sells until an owner confirms', async () => {
  await using app = await startStripeSite();
  const offer = await app.sellPost();
  await app.connect();
  const { session } = await app.begin(offer);
  await app.rows(
    `update payment_connections set public_url = 'https://original.example.com', hook_id = 'we_original'`,
  );
  expect(await app.studio.payments.get.query()).toMatchObject({ state: 'broken', reason: 'moved' });
  await app.stripe.pay(session);
  const calls = app.stripe.calls.length;
  await app.passNow();
  expect(app.stripe.calls.length).toBe(calls);
  expect(await app.rows('select from purchases')).toEqual([]);
  expect((await refusal(app.studio.payments.sync.mutate())).code).toBe('payments_not_configured');
  expect((await refusal(app.connect())).message).toMatch(/^confirm: /);
  expect(await app.connect({ confirm: true })).toMatchObject({ state: 'active', reason: null });
  await app.pass();
  expect(await app.rows('select buyer_email from purchases')).toEqual([{ buyer_email: 'grace@example.com' }]);
});

test('a key that SECRET_KEY does not decrypt makes the connection broken, and another key repairs it', async () => {
  await using app = await startStripeSite();
  await app.connect();
  await app.rows(`update payment_connections set key_sealed = 'v1.AAAA'`);
  expect(await app.studio.payments.get.query()).toMatchObject({ state: 'broken', reason: 'key_unreadable' });
  await app.passNow();
  expect((await app.connection())?.due_at).toEqual(new Date(app.clock.now().getTime() + 3_600_000));
  expect(await app.connect()).toMatchObject({ state: 'active', reason: null });
});
