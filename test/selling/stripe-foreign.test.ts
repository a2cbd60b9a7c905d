import { expect, test } from 'vitest';
import { beginCheckout, expectRowsOfLedger } from '../support/sales-history.ts';
import { clientOf, startConnectedSite } from '../support/selling-site.ts';

const isLong = process.env.FAULTS === 'long';
const events = isLong ? 10_000 : 600;

test(`objects that other programs made in the Stripe account create no rows: ${events} events of sales, refunds, disputes and subscriptions`, async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe, account, siteId } = site;
  const { client } = site;
  const { id: offer } = await site.sellMembership();
  // An offer of the site sells nothing in a session that names another site, or none.
  const foreign: Record<string, string>[] = [
    {},
    { site: 'another', offer, checkout: offer },
    { shop: siteId },
  ];
  const product = await client.products.create({ name: 'Something else' });
  const price = { currency: 'eur', product: product.id, unit_amount: 700 };
  for (let made = 0; site.ledger().events.length < events; made++) {
    const metadata = foreign[made % foreign.length] ?? {};
    const shared = { metadata, customer_email: 'grace@example.com', success_url: 'https://a.example' };
    const sold = made % 2 === 0;
    const { id } = await client.checkout.sessions.create({
      ...shared,
      ...(sold
        ? {
            mode: 'payment',
            payment_intent_data: { metadata },
            line_items: [{ quantity: 1, price_data: price }],
          }
        : {
            mode: 'subscription',
            subscription_data: { metadata },
            line_items: [{ quantity: 1, price_data: { ...price, recurring: { interval: 'month' } } }],
          }),
    });
    await stripe.pay(id);
    const charge = site.ledger().charges.at(-1)?.id ?? '';
    if (made % 5 === 0) await stripe.refund(charge);
    if (made % 7 === 0) await stripe.dispute(charge);
    const subscription = site.ledger().subscriptions.at(-1);
    if (subscription?.status === 'active') await stripe.cancel(subscription.id);
    stripe.payElsewhere(account.id, { amount: 900, currency: 'usd', metadata }, true);
  }
  await site.passNow();
  const rows = await site.deps.database.em.fork().execute(
    `select (select count(*)::int from purchases) as purchases, (select count(*)::int from memberships) as memberships,
      (select count(*)::int from checkouts) as checkouts, (select count(*)::int from events where name = 'purchase.completed') as events`,
  );
  expect(rows).toEqual([{ purchases: 0, memberships: 0, checkouts: 0, events: 0 }]);
});

test('two sites that share a Stripe account have their own sales each, and the other mode of the account has none', async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe, account } = site;
  const { id: offer } = await site.sellPost();
  await stripe.pay(await beginCheckout(site, offer, 'grace@example.com'));
  const test = stripe.createAccount({ id: account.id, livemode: false });
  const client = clientOf(site.stripe.url, test.key);
  const product = await client.products.create({ name: 'A test' });
  const [own] = site.ledger().sessions.filter(({ metadata }) => metadata?.site === site.siteId);
  const { id } = await client.checkout.sessions.create({
    ...{ mode: 'payment', success_url: 'https://a.example', customer_email: 'ada@example.com' },
    line_items: [{ quantity: 1, price_data: { currency: 'eur', product: product.id, unit_amount: 4_900 } }],
    metadata: own?.metadata ?? {},
  });
  await stripe.pay(id);
  await site.passNow();
  await expectRowsOfLedger(site);
  expect((await site.studio.purchases.list.query()).items).toMatchObject([
    { buyer_email: 'grace@example.com' },
  ]);
});
