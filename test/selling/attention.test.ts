import { expect, test } from 'vitest';
import { startConnectedSite } from '../support/selling-site.ts';

test('disputes, refunds, failed payments and double memberships need attention, each with its page at Stripe', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { studio, stripe } = app;
  const list = async () => (await studio.attention.list.query()).items;
  expect(await list()).toEqual([]);
  const buy = async (offer: string, email: string) => {
    await app.visit(`/buy/${offer}`, { form: { email } });
    const session = app.sessions().at(-1);
    await stripe.pay(session?.id ?? '');
    await app.pass();
    return app.ledger();
  };
  const { id: post } = await app.sellPost();
  const { id: month } = await app.sellMembership();
  const { id: year } = await app.sellMembership({ interval: 'year', amount: 50 });
  const disputed = (await buy(post, 'disputes@example.com')).charges.at(-1);
  const refunded = (await buy(post, 'refunds@example.com')).charges.at(-1);
  await buy(month, 'twice@example.com');
  await buy(year, 'twice+tag@example.com');
  const late = (await buy(month, 'late@example.com')).subscriptions.at(-1);
  await stripe.dispute(disputed?.id ?? '');
  await stripe.refund(refunded?.id ?? '');
  await stripe.failRenewal(late?.id ?? '');
  await app.pass();
  const rows = await list();
  const at = (path: string) => `https://dashboard.stripe.com/${app.account.id}/${path}`;
  expect(new Map(rows.map(({ email, reason, url }) => [email, [reason, url]]))).toEqual(
    new Map<string, unknown>([
      ['disputes@example.com', ['disputed', at(`payments/${disputed?.payment_intent}`)]],
      ['refunds@example.com', ['refunded', at(`payments/${refunded?.payment_intent}`)]],
      ['late@example.com', ['past_due', at(`subscriptions/${late?.id}`)]],
      ['twice@example.com', ['two_memberships', expect.stringContaining('/subscriptions/sub_')]],
      ['twice+tag@example.com', ['two_memberships', expect.stringContaining('/subscriptions/sub_')]],
    ]),
  );
  await app.deps.database.em.execute(
    `update payment_connections set state = 'broken', reason = 'key_refused'`,
  );
  expect((await list())[0]).toMatchObject({ id: 'connection', reason: 'key_broken', url: null });
});
