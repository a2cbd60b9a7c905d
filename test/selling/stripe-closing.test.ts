import { expect, test } from 'vitest';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { startMailServer } from '../support/mail-server.ts';
import { beginCheckout } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { createVisitor } from '../support/visitor.ts';

test('refunds, disputes, revocations and ends at Stripe close content from the next request on, in two processes', async () => {
  await using mail = await startMailServer();
  await using site = await startConnectedSite({
    ...{ livemode: true, config: { countsTest: false }, smtpUrl: mail.url },
  });
  const { stripe, studio, clock } = site;
  const database = await openDatabase({ url: site.databaseUrl, poolSize: 2, applicationName: 'second' });
  const second = buildApp(createDeps({ ...site.deps, database }));
  const grace = 'grace@example.com';
  const visits = [site.visit, createVisitor(await second.listen({ host: '127.0.0.1', port: 0 }))];
  for (const visit of visits) {
    await visit('/sign-in', { form: { email: grace } });
    await visit('/sign-in', { form: { email: grace, code: mail.codeFor(grace) } });
  }
  const isOpen = async (path: string, secret: string) => {
    const pages = await Promise.all(visits.map((visit) => visit(path)));
    const [here, there] = pages.map(({ text }) => text.includes(secret));
    expect(there).toBe(here);
    return here;
  };
  const ofPost = () => isOpen('/posts/sleep', 'The secret of sleep.');
  const ofMembers = () => isOpen('/posts/numbers', 'The secret numbers.');
  const pass = async () => {
    clock.advance({ minutes: 20 });
    await site.passNow();
  };
  const buy = async (offer: string) => {
    await stripe.pay(await beginCheckout(site, offer, grace));
    await pass();
    return site.ledger().charges.at(-1)?.id ?? '';
  };

  const { id: post } = await site.sellPost();
  const refunded = await buy(post);
  expect(await ofPost()).toBe(true);
  await stripe.refund(refunded, 100);
  await pass();
  expect(await ofPost()).toBe(true);
  const { id: rest } = await stripe.refund(refunded);
  await pass();
  expect(await ofPost()).toBe(false);
  await stripe.failRefund(rest);
  await pass();
  expect(await ofPost()).toBe(true);
  const inquiry = await stripe.dispute(refunded, { isInquiry: true });
  await pass();
  expect(await ofPost()).toBe(true);
  await stripe.escalateDispute(inquiry.id);
  await pass();
  expect(await ofPost()).toBe(false);
  await stripe.closeDispute(inquiry.id, 'won');
  await pass();
  expect(await ofPost()).toBe(true);
  const [sale] = (await studio.purchases.list.query()).items;
  await studio.purchases.update.mutate({ id: sale?.id ?? '', state: 'revoked' });
  expect(await ofPost()).toBe(false);
  await pass();
  expect(await ofPost()).toBe(false);
  const lost = await buy(post);
  expect(await ofPost()).toBe(true);
  const dispute = await stripe.dispute(lost);
  await stripe.closeDispute(dispute.id, 'lost');
  await pass();
  expect(await ofPost()).toBe(false);

  const { id: month } = await site.sellMembership();
  const first = await buy(month);
  expect(await ofMembers()).toBe(true);
  await stripe.refund(first);
  await pass();
  expect(await ofMembers()).toBe(false);
  const [subscription = ''] = site.ledger().subscriptions.map(({ id }) => id);
  await stripe.renew(subscription);
  await pass();
  expect(await ofMembers()).toBe(true);
  await stripe.cancel(subscription);
  await pass();
  expect(await ofMembers()).toBe(false);
  await second.close();
  await database.close();
});
