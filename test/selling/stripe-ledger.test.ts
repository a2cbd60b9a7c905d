import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  beginCheckout,
  enableWebhooks,
  expectRowsOfLedger,
  sellEverything,
} from '../support/sales-history.ts';
import { type StripeSite, startConnectedSite } from '../support/selling-site.ts';
import { startTestWorker } from '../support/worker.ts';

// Times are those of the service's clock, which only moves when a test moves it.

const live = { livemode: true, config: { countsTest: false } };

async function startWorker(site: StripeSite) {
  const { publicUrl } = site.deps.config;
  return startTestWorker(site, { publicUrl });
}

/** Waits until rows and ledger are equal. */
const followed = (site: StripeSite) =>
  eventually(() =>
    expectRowsOfLedger(site).then(
      () => true,
      () => false,
    ),
  ).catch(() => expectRowsOfLedger(site));

/** Waits until the worker finished its passes: none is due now. */
const isIdle = ({ deps, clock }: StripeSite) =>
  eventually(async () => {
    const [row] = await deps.database.em
      .fork()
      .execute<{ idle: boolean }[]>(
        'select due_at > ? and lease_until is null as idle from payment_connections',
        [clock.now()],
      );
    return row?.idle ?? false;
  });

async function buyOneOfEach(site: StripeSite, offers: Awaited<ReturnType<typeof sellEverything>>) {
  for (const [name, offer] of Object.entries(offers)) {
    const session = await beginCheckout(site, offer, `${name}@example.com`);
    await site.stripe.pay(session);
  }
}

const chargeOf = (site: StripeSite, email: string) => {
  const charge = site.ledger().charges.find(({ billing_details }) => billing_details.email === email);
  if (!charge) throw new Error(`no charge of ${email}`);
  return charge.id;
};

test('with webhooks, rows equal the ledger within 5 seconds: no time passes before they do', async () => {
  await using site = await startConnectedSite(live);
  const { stripe } = site;
  await enableWebhooks(site, site.baseUrl);
  await using _ = await startWorker(site);
  const offers = await sellEverything(site);
  await isIdle(site);
  await buyOneOfEach(site, offers);
  await followed(site);
  await stripe.refund(chargeOf(site, 'post@example.com'));
  const { id } = await stripe.dispute(chargeOf(site, 'course@example.com'));
  const [trial, year] = site.ledger().subscriptions;
  await stripe.cancel(trial?.id ?? '');
  await stripe.failRenewal(year?.id ?? '');
  await followed(site);
  await stripe.closeDispute(id, 'won');
  await stripe.payOverdue(year?.id ?? '');
  await followed(site);
  await stripe.webhooks.idle();
  expect(new Set(stripe.webhooks.statuses)).toEqual(new Set([200]));
});

test('without webhooks, rows equal the ledger within 90 seconds of payments, and within 16 minutes of everything else', async () => {
  await using site = await startConnectedSite(live);
  const { stripe, clock } = site;
  await using _ = await startWorker(site);
  const offers = await sellEverything(site);
  const begun = await Promise.all(
    Object.entries(offers).map(([name, offer]) => beginCheckout(site, offer, `${name}@example.com`)),
  );
  await isIdle(site);
  for (const session of begun) await stripe.pay(session);
  clock.advance({ seconds: 90 });
  await followed(site);
  clock.advance({ hours: 2 });
  await isIdle(site);
  await stripe.refund(chargeOf(site, 'post@example.com'));
  await stripe.dispute(chargeOf(site, 'course@example.com'));
  const [trial, year] = site.ledger().subscriptions;
  await stripe.cancel(trial?.id ?? '');
  await stripe.failRenewal(year?.id ?? '');
  clock.advance({ minutes: 16 });
  await followed(site);
});

test('after 40 days without the service, in which Stripe deletes events, rows equal the ledger after one nightly run', async () => {
  await using site = await startConnectedSite(live);
  const { stripe, clock } = site;
  const offers = await sellEverything(site);
  await buyOneOfEach(site, offers);
  await site.passNow();
  await expectRowsOfLedger(site);
  const unseen = [
    await beginCheckout(site, offers.post, 'late@example.com'),
    await beginCheckout(site, offers.year, 'late@example.com'),
    await beginCheckout(site, offers.course, 'bank@example.com'),
  ];
  const [paid = '', joined = '', bank = ''] = unseen;
  await stripe.pay(paid);
  await stripe.pay(joined);
  await stripe.pay(bank, { method: 'sepa' });
  await stripe.settle(bank);
  await stripe.refund(chargeOf(site, 'post@example.com'));
  await stripe.dispute(chargeOf(site, 'course@example.com'));
  const [trial, year] = site.ledger().subscriptions;
  await stripe.renew(trial?.id ?? '');
  await stripe.cancel(year?.id ?? '');
  clock.advance({ days: 40 });
  stripe.passTime();
  expect(site.ledger().events.length).toBeGreaterThan(20);
  await site.passNow();
  await expectRowsOfLedger(site);
});

test('a sync pass does not fetch an object again whose event was already applied', async () => {
  await using site = await startConnectedSite(live);
  const { stripe, clock } = site;
  await using _ = await startWorker(site);
  const { post } = await sellEverything(site);
  await isIdle(site);
  for (const buyer of ['grace', 'ada', 'alan'])
    await stripe.pay(await beginCheckout(site, post, `${buyer}@example.com`));
  // The checkouts wake a pass. A pass that runs while the clock moves by a minute loses its lease, and fetches again.
  await isIdle(site);
  for (let minute = 0; minute < 5; minute++) {
    clock.advance({ minutes: 1 });
    await isIdle(site);
  }
  await expectRowsOfLedger(site);
  const fetched = stripe.calls.filter(({ method, path }) => method === 'GET' && /sessions\/cs_/.test(path));
  const lists = stripe.calls.filter(({ path }) => path === '/v1/events');
  expect([fetched.length, lists.length >= 5]).toEqual([3, true]);
});

test('sales are recorded even if Stripe is so slow that a sync pass takes many times its lease', async () => {
  await using site = await startConnectedSite(live);
  const { stripe, clock } = site;
  const { post, month } = await sellEverything(site);
  for (let buyer = 0; buyer < 24; buyer++)
    await stripe.pay(await beginCheckout(site, buyer % 2 ? post : month, `buyer${buyer}@example.com`));
  const began = clock.now();
  stripe.onCall((_, timestamp) => {
    if (timestamp === 'before') clock.advance({ seconds: 5 });
  });
  await site.passNow();
  await expectRowsOfLedger(site);
  expect(clock.now().getTime() - began.getTime()).toBeGreaterThan(120_000);
});
