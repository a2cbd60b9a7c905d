import { expect, test } from 'vitest';
import { endMemberships } from '../../worker/payments/end-memberships.ts';
import { failure } from '../support/http.ts';
import { startMailServer } from '../support/mail-server.ts';
import { beginCheckout } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';

const grace = 'grace@example.com';

/** Starts a checkout as a program does, which learns that the address has a membership. */
async function join(site: Awaited<ReturnType<typeof startConnectedSite>>, offer_id: string) {
  const key = await site.seed.key({ scopes: ['write:payments'] });
  const urls = { success_url: 'http://localhost:3000/a', cancel_url: 'http://localhost:3000/b' };
  return site.post('/api/v2/checkouts', { key, body: { offer_id, email: grace, ...urls } });
}

test('a membership of a replaced Stripe account prevents a new one until it closes; then it is shown as ended', async () => {
  await using mail = await startMailServer();
  await using site = await startConnectedSite({ livemode: true, smtpUrl: mail.url });
  const { id: offer_id } = await site.sellMembership();
  await site.stripe.pay(await beginCheckout(site, offer_id, grace));
  await site.passNow();
  const { key: other } = site.stripe.createAccount({ livemode: true });
  await site.studio.payments.connect.mutate({ key: other, confirm: true });
  expect(await join(site, offer_id)).toEqual(failure(409, 'already_entitled'));
  // A month, and three days of grace.
  site.clock.advance({ days: 35 });
  expect((await join(site, offer_id)).status).toBe(201);
  await endMemberships(site.deps.database, site.clock.now());
  const key = await site.seed.key({ scopes: ['read:payments'] });
  expect((await site.get('/api/v2/memberships?state=ended', { key })).body).toMatchObject({
    items: [{ email: grace, state: 'ended' }],
  });
  await site.visit('/sign-in', { form: { email: grace } });
  await site.visit('/sign-in', { form: { email: grace, code: mail.codeFor(grace) } });
  expect((await site.visit('/account')).text).toContain('Ended');
});

test('a membership of the connected Stripe account that is past due still prevents a new one', async () => {
  await using site = await startConnectedSite({ livemode: true });
  const { id: offer_id } = await site.sellMembership();
  await site.stripe.pay(await beginCheckout(site, offer_id, grace));
  await site.passNow();
  await site.stripe.failRenewal(site.ledger().subscriptions[0]?.id ?? '');
  await site.passNow();
  site.clock.advance({ days: 70 });
  await endMemberships(site.deps.database, site.clock.now());
  expect(await join(site, offer_id)).toEqual(failure(409, 'already_entitled'));
});

test.for([
  ['that is over', true, "'2026-02-01'"],
  ['that was imported into production', false, "'infinity'"],
] as const)('a demo membership %s prevents no new one', async ([, countsTest, openUntil]) => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest } });
  const { id: offer_id } = await site.sellMembership();
  await site.rows(
    `insert into memberships (site_id, id, email, tiers, state, blocked, provider, external_id, open_until, trial_used, as_of, livemode, created, updated)
       values (?, 'demomembership0', ?, '{paid}', 'active', false, 'demo', 'demo_1', ${openUntil}, false, now(), false, now(), now())`,
    [site.siteId, grace],
  );
  site.clock.advance({ days: 2 });
  expect((await join(site, offer_id)).status).toBe(201);
});
