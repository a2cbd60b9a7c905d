import { sql } from 'kysely';
import { expect } from 'vitest';
import { connectionOwner } from '../../shared/selling/connection.ts';
import { eventTypes } from '../../shared/selling/webhook-endpoint.ts';
import { visitorClient } from './rpc.ts';
import { checkoutsOf, salesOf } from './sales-model.ts';
import type { StripeSite } from './selling-site.ts';

// Random histories of buyers at Stripe, and comparisons of the service with its ledger.

/** Offers of a site, by name. */
export async function sellEverything(site: StripeSite) {
  const course = {
    title: 'Locks',
    interval: 'once',
    collection: 'courses',
    amount: 12.5,
    currency: 'EUR',
  } as const;
  return {
    post: (await site.sellPost()).id,
    course: (await site.studio.offers.create.mutate({ ...course, record_id: site.ids.course })).id,
    month: (await site.sellMembership({ trial_days: 14 })).id,
    year: (await site.sellMembership({ interval: 'year', amount: 50, tiers: ['paid'] })).id,
  };
}

/** Begins a checkout as a visitor does, and returns the id of its session. */
export async function beginCheckout(site: StripeSite, offer_id: string, email: string): Promise<string> {
  const { url } = await visitorClient(site.baseUrl).site.checkout.begin.mutate({ offer_id, email });
  // A session that was paid since has no URL any more.
  const session = site.ledger().sessions.find(({ id }) => url.includes(id));
  if (!session) throw new Error(`no session at ${url}`);
  return session.id;
}

/** Creates the webhook endpoint, which a service without a public https address does not have, and sends to `receiver`. */
export async function enableWebhooks(site: StripeSite, receiver: string): Promise<void> {
  const { deps, siteId, stripe, client } = site;
  const em = deps.database.em.fork();
  const [row] = await em.execute<{ id: string }[]>('select id from payment_connections where site_id = ?', [
    siteId,
  ]);
  const { id, secret = '' } = await client.webhookEndpoints.create({
    ...{ url: `https://creators.example/hooks/stripe/${row?.id}`, enabled_events: [...eventTypes] },
  });
  const sealed = deps.secrets.seal(secret, connectionOwner(siteId));
  await em.execute('update payment_connections set hook_id = ?, hook_secret_sealed = ? where site_id = ?', [
    ...[id, sealed, siteId],
  ]);
  stripe.webhooks.sendTo(new URL(receiver));
}

const pick = <Item>(items: readonly Item[], random: () => number) =>
  items[Math.floor(random() * items.length)];

/** Takes random steps of buyers, owners and banks. A step that no object allows does nothing. */
export function createSteps(site: StripeSite, offers: string[], buyers: string[], random: () => number) {
  const { stripe } = site;
  const chance = (share: number) => random() < share;
  const isRunning = ({ status }: { status: string }) => ['active', 'trialing', 'past_due'].includes(status);

  /** Sessions whose payment by a bank account has no outcome yet. */
  function pendingSessions() {
    const { sessions, paymentIntents, invoicePayments } = site.ledger();
    const processing = new Set(
      paymentIntents.filter(({ status }) => status === 'processing').map(({ id }) => id),
    );
    const invoices = invoicePayments.filter(({ payment }) => processing.has(String(payment.payment_intent)));
    const pending = new Set([...processing, ...invoices.map(({ invoice }) => String(invoice))]);
    return sessions.filter((one) => pending.has(String(one.invoice ?? one.payment_intent)));
  }

  const steps = {
    begin: () => beginCheckout(site, pick(offers, random) ?? '', pick(buyers, random) ?? ''),
    pay() {
      const open = pick(
        site.ledger().sessions.filter(({ status }) => status === 'open'),
        random,
      );
      const method = chance(0.3) ? 'sepa' : 'card';
      const discount = chance(0.1) ? 1_000_000 : chance(0.1) ? 100 : 0;
      return open && stripe.pay(open.id, { method, discount });
    },
    endPayment() {
      const pending = pick(pendingSessions(), random);
      return pending && (chance(0.6) ? stripe.settle(pending.id) : stripe.fail(pending.id));
    },
    refund() {
      const paid = site
        .ledger()
        .charges.filter(({ status, refunded }) => status === 'succeeded' && !refunded);
      const charge = pick(paid, random);
      if (!charge) return;
      const left = charge.amount - charge.amount_refunded;
      return stripe.refund(charge.id, chance(0.5) ? left : Math.ceil(left * random()) || 1);
    },
    failRefund() {
      const refund = pick(
        site.ledger().refunds.filter(({ status }) => status === 'succeeded'),
        random,
      );
      return refund && stripe.failRefund(refund.id);
    },
    dispute() {
      const paid = site
        .ledger()
        .charges.filter(({ status, disputed }) => status === 'succeeded' && !disputed);
      const charge = pick(paid, random);
      return charge && stripe.dispute(charge.id, { isInquiry: chance(0.3) });
    },
    moveDispute() {
      const waiting = site.ledger().disputes.filter(({ status }) => /needs_response$/.test(status));
      const dispute = pick(waiting, random);
      if (!dispute) return;
      if (dispute.status === 'needs_response')
        return stripe.closeDispute(dispute.id, chance(0.5) ? 'won' : 'lost');
      return chance(0.5)
        ? stripe.escalateDispute(dispute.id)
        : stripe.closeDispute(dispute.id, 'warning_closed');
    },
    renew() {
      const renewing = site
        .ledger()
        .subscriptions.filter((one) => isRunning(one) && !one.cancel_at_period_end);
      const subscription = pick(renewing, random);
      return (
        subscription && (chance(0.7) ? stripe.renew(subscription.id) : stripe.failRenewal(subscription.id))
      );
    },
    payOverdue() {
      const { invoices, subscriptions } = site.ledger();
      const due = new Set(invoices.filter(({ status }) => status === 'open').map(({ id }) => id));
      const overdue = subscriptions.filter(
        ({ status, latest_invoice }) =>
          ['past_due', 'unpaid'].includes(status) && due.has(String(latest_invoice)),
      );
      const subscription = pick(overdue, random);
      return subscription && stripe.payOverdue(subscription.id);
    },
    cancel() {
      const subscription = pick(site.ledger().subscriptions.filter(isRunning), random);
      return subscription && stripe.cancel(subscription.id, { atPeriodEnd: chance(0.6) });
    },
    resume() {
      const ending = site.ledger().subscriptions.filter((one) => isRunning(one) && one.cancel_at_period_end);
      const subscription = pick(ending, random);
      return subscription && stripe.resume(subscription.id);
    },
    giveUp() {
      const subscription = pick(
        site.ledger().subscriptions.filter(({ status }) => status === 'past_due'),
        random,
      );
      return subscription && stripe.setStatus(subscription.id, 'unpaid');
    },
    pause() {
      const trialing = site
        .ledger()
        .subscriptions.filter(({ status }) => ['trialing', 'paused'].includes(status));
      const subscription = pick(trialing, random);
      return (
        subscription &&
        stripe.setStatus(subscription.id, subscription.status === 'paused' ? 'active' : 'paused')
      );
    },
  } satisfies Record<string, () => Promise<unknown> | undefined>;

  /** Steps as often as they are drawn. */
  const drawn: (keyof typeof steps)[] = [
    ...([
      'begin',
      'begin',
      'begin',
      'begin',
      'pay',
      'pay',
      'pay',
      'pay',
      'pay',
      'endPayment',
      'endPayment',
    ] as const),
    ...([
      'refund',
      'refund',
      'failRefund',
      'dispute',
      'moveDispute',
      'moveDispute',
      'renew',
      'renew',
    ] as const),
    ...(['payOverdue', 'cancel', 'resume', 'giveUp', 'pause'] as const),
  ];
  return async () => {
    await steps[pick(drawn, random) ?? 'begin']();
  };
}

/** Returns the entitlements of addresses in the service, in the form of `openBy`. */
export async function openInService(
  { deps, siteId, clock }: StripeSite,
  emails: string[],
): Promise<string[]> {
  const { rows } = await sql<{ email: string; tiers: string[]; offers: string[] }>`
    select b.email, e.tiers, array(
      select o.id from offers o join unnest(e.purchases) p on p = o.collection || '/' || o.record_id where o.site_id = ${siteId}
    ) as offers
    from unnest(${emails}::text[]) b (email), entitlements(${siteId}, b.email, ${clock.now()}, false) e`.execute(
    deps.database.em.fork().getKysely(),
  );
  return rows.flatMap(({ email, tiers, offers }) => [
    ...(tiers.length > 0 ? [`${email} tiers`] : []),
    ...[...new Set(offers)].map((offer) => `${email} ${offer}`),
  ]);
}

/** Compares every column that the ledger decides. */
export async function expectRowsOfLedger({ deps, siteId, ledger, clock }: StripeSite): Promise<void> {
  const run = <Row>(text: string) => deps.database.em.fork().execute<Row[]>(text, [siteId]);
  const purchases = await run(
    `select external_id, buyer_email, offer_id, amount::float, currency, refunded_amount::float, dispute, state
      from purchases where site_id = ? and provider = 'stripe' order by external_id collate "C"`,
  );
  const memberships = await run<{ external_id: string; open_until: number | null }>(
    `select external_id, email, state, blocked, extract(epoch from open_until)::float as open_until,
        extract(epoch from cancel_at)::float as cancel_at
      from memberships where site_id = ? and provider = 'stripe' order by external_id collate "C"`,
  );
  const checkouts = await run<{ session_ref: string; state: string }>(
    'select session_ref, state from checkouts where site_id = ? and session_ref is not null order by session_ref collate "C"',
  );
  const possible = checkoutsOf(ledger(), siteId);
  expect(checkouts.map(({ session_ref }) => session_ref)).toEqual(
    possible.map(({ session_ref }) => session_ref),
  );
  expect(checkouts.filter(({ state }, at) => !possible[at]?.states.includes(state))).toEqual([]);
  const expected = salesOf(ledger(), siteId);
  // A membership that ended as unpaid or paused keeps this end, which Stripe does not date, when it is canceled later.
  const now = clock.now().getTime() / 1_000;
  const dated = memberships.map((row, at) => {
    const end =
      expected.memberships[at]?.state === 'ended' ? (expected.memberships[at].open_until ?? now) : null;
    // Stripe's times are whole seconds.
    return end !== null && Number(row.open_until) < end + 1 ? { ...row, open_until: end } : row;
  });
  const dates = expected.memberships.map((one) => ({ ...one, open_until: one.open_until ?? now }));
  expect({ purchases, memberships: dated }).toEqual({ ...expected, memberships: dates });
}
