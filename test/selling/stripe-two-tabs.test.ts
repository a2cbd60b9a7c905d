import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { startMailServer } from '../support/mail-server.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { visitorClient } from '../support/rpc.ts';
import { beginCheckout, openInService } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { timeLimits } from '../support/time-limits.ts';

const isLong = process.env.FAULTS === 'long';
const races = isLong ? 1_000 : 20;
/** Number of races after which time passes. */
const racesOfHour = 100;
const seed = Number(process.env.SEED ?? (isLong ? newSeed() : 3));

test(`tabs of one address never have two open sessions of an offer, however their calls to Stripe are delayed, refused or cut (seed ${seed})`, {
  timeout: isLong ? 3_600_000 : timeLimits.test,
}, async () => {
  const random = createRandom(seed);
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe } = site;
  const { id } = await site.sellPost();
  /** Pages that tabs were sent to. After a failure, Stripe may have another one, whose URL no tab received. */
  const known = new Set<string | null>();
  /** Highest number of open pages of any address. */
  const mostOpen = () => {
    const open = site.ledger().sessions.filter(({ status, url }) => status === 'open' && known.has(url));
    const byAddress = Map.groupBy(open, (one) => one.customer_email);
    return Math.max(0, ...byAddress.values().map(({ length }) => length));
  };
  /** Ends all checkouts, of which a site has at most 1,000. */
  const expireAll = async () => {
    stripe.recover();
    site.clock.advance({ hours: 1 });
    await site.passNow();
  };
  let highest = 0;
  stripe.onCall(async () => {
    // Calls of several tabs overlap in every order.
    for (let turns = Math.floor(random() * 6); turns > 0; turns--) await new Promise(setImmediate);
    highest = Math.max(highest, mostOpen());
  });
  for (let race = 0; race < races; race++) {
    if (race % racesOfHour === 0) await expireAll();
    Object.assign(
      stripe.faults,
      race % 2 ? { status429: 0.05, status500: 0.05, cut: 0.1 } : { status429: 0, status500: 0, cut: 0 },
    );
    const begin = () =>
      visitorClient(site.baseUrl)
        .site.checkout.begin.mutate({ offer_id: id, email: `race${race}@example.com` })
        .then(({ url }) => known.add(url))
        .catch((error: unknown) => expect(error).toBeInstanceOf(TRPCClientError));
    const first = Promise.all([begin(), begin()]);
    const repriced =
      random() < 0.5 ? site.studio.offers.update.mutate({ id, amount: 10 + (race % 50) }) : null;
    const second = Promise.all([begin(), begin(), repriced]);
    await Promise.all([first, second]);
    highest = Math.max(highest, mostOpen());
  }
  expect(highest).toBe(1);
  expect(known.size).toBeGreaterThan(0.9 * races);
});

test('two payments of one buyer for one offer give access once, both are shown to the owner, and the service refunds neither', async () => {
  await using mail = await startMailServer();
  await using site = await startConnectedSite({
    livemode: true,
    config: { countsTest: false },
    smtpUrl: mail.url,
  });
  const { stripe } = site;
  const { id } = await site.sellPost();
  const grace = 'grace@example.com';
  const first = await beginCheckout(site, id, grace);
  await site.studio.offers.update.mutate({ id, amount: 50 });
  // The buyer pays in the first tab while the second ends that session.
  stripe.onCall(async ({ path }, timestamp) => {
    if (timestamp === 'before' && path.endsWith(`${first}/expire`)) await stripe.pay(first);
  });
  await stripe.pay(await beginCheckout(site, id, grace));
  await site.passNow();
  const { items } = await site.studio.purchases.list.query();
  expect(items.map(({ amount, state }) => [amount, state]).toSorted()).toEqual([
    [49, 'paid'],
    [50, 'paid'],
  ]);
  expect(await openInService(site, [grace])).toEqual([`${grace} ${id}`]);
  await site.visit('/sign-in', { form: { email: grace } });
  await site.visit('/sign-in', { form: { email: grace, code: mail.codeFor(grace) } });
  const account = (await site.visit('/account')).text;
  expect([account.includes('€49'), account.includes('€50')]).toEqual([true, true]);
  // Refunding one of them closes nothing.
  const [charge] = site.ledger().charges;
  await stripe.refund(charge?.id ?? '');
  await site.deps.database.em.fork().execute('update payment_connections set due_at = ?', [site.clock.now()]);
  await site.passNow();
  expect((await site.visit('/posts/sleep')).text).toContain('The secret of sleep.');
  expect(stripe.calls.filter(({ path }) => path.includes('refund') && !path.endsWith('/v1/refunds'))).toEqual(
    [],
  );
});
