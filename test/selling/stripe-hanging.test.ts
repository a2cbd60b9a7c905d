import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { quantile } from '../bench/statistics.ts';
import { eventually } from '../support/eventually.ts';
import { withLearning } from '../support/learning-site.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';
import { beginCheckout, expectRowsOfLedger } from '../support/sales-history.ts';
import { type StripeSite, startConnectedSite } from '../support/selling-site.ts';
import { recordStatements } from '../support/statements/record.ts';
import { startTestWorker } from '../support/worker.ts';

const isLong = process.env.FAULTS === 'long';

/** More than the connections of the pool. */
const hangingCalls = 20;

/** Backends of the database, except the one that runs the query, that run a statement or are in a transaction. */
const heldBackends = ({ deps }: StripeSite) =>
  deps.database.em.fork().execute<{ state: string; query: string }[]>(
    `select state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and (state <> 'idle' or xact_start is not null)`,
  );

/** Waits until no connection is in use. Background work, such as counts of views, may be; a call that waits for Stripe may not. */
const isDatabaseIdle = (site: StripeSite) =>
  eventually(async () => {
    const { open, idle, waiting } = site.deps.database.connections();
    return open === idle && waiting === 0 && (await heldBackends(site)).length === 0;
  });

/** Begins checkouts whose calls to Stripe hang, and waits until all do. */
async function hang(site: StripeSite, offer_id: string, calls: number, round = 0) {
  const { stripe } = site;
  const before = stripe.calls.length;
  stripe.faults.hang = 1;
  const hanging = Array.from({ length: calls }, (_, at) => {
    const email = `buyer${round}-${at}@example.com`;
    return refusal(visitorClient(site.baseUrl).site.checkout.begin.mutate({ offer_id, email }));
  });
  let ended = false;
  for (const call of hanging) call.finally(() => (ended = true));
  await eventually(() => stripe.calls.length === before + calls);
  return {
    /** True if a call took longer than the service waits for Stripe. */
    hasEnded: () => ended,
    /** Ends the calls: Stripe closes their connections. */
    async release() {
      await stripe.kill();
      for (const refused of await Promise.all(hanging))
        expect(refused).toMatchObject({ code: 'provider_unavailable' });
      await stripe.restart();
      stripe.recover();
    },
  };
}

/** Requests of other visitors and programs, by name. Each needs the database. */
function otherRequests(site: StripeSite, offer: string, key: string): Record<string, () => Promise<void>> {
  const expectOk = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBe(200);
  let posts = 0;
  return {
    'a gated page': () => expectOk(site.visit('/posts/sleep')),
    'the page of an offer': () => expectOk(site.visit(`/buy/${offer}`)),
    'a list of the API': () => expectOk(site.get('/api/v2/offers', { key })),
    'a list of the studio': async () => {
      expect((await site.studio.offers.list.query()).items).toHaveLength(1);
    },
    'a write of the API': async () => {
      const created = await site.post('/api/v1/posts', { key, body: { title: `Post ${posts++}` } });
      expect(created.status).toBe(201);
    },
  };
}

test('while calls to Stripe hang, every other request takes the statements that it took before, and no database connection is held', async () => {
  let statements = 0;
  using _ = recordStatements((text) => {
    if (!text.includes('pg_stat_activity')) statements += 1;
  });
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { id } = await site.sellPost();
  await beginCheckout(site, id, 'first@example.com');
  const requests = otherRequests(site, id, await site.seed.key({ scopes: scopeNames }));
  // Views of pages are counted some time later, so no page is requested before the statements are counted.
  const counted = Object.entries(requests).filter(([name]) => !name.includes('page'));
  const countEach = async () => {
    const counts: Record<string, number> = {};
    for (const [name, request] of counted) {
      statements = 0;
      await request();
      await isDatabaseIdle(site);
      counts[name] = statements;
    }
    return counts;
  };
  // The first requests of a key note that it is used.
  await countEach();
  const before = await countEach();
  const hanging = await hang(site, id, hangingCalls);
  expect(await countEach()).toEqual(before);
  for (const request of Object.values(requests)) await request();
  await isDatabaseIdle(site);
  await hanging.release();
});

test('no database connection is in use while any call to Stripe is made', async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe, visit, account, ledger, clock } = site;
  // Sessions end before the test does. The first connection was made before calls are watched.
  const token = await site.seed.ownerToken();
  const signIn = async () => ownerClient(site.baseUrl, await site.seed.ownerToken()).studio;
  const studio = await signIn();
  await studio.payments.disconnect.mutate();
  site.deps.config.publicUrl = new URL('https://ada.example.com');
  const paths = new Set<string>();
  stripe.onCall(async ({ method, path }, timestamp) => {
    paths.add(`${method} ${path.replace(/\b[a-z]+_(?:live_)?[A-Za-z0-9]{14,}/g, ':id')}`);
    if (timestamp === 'before') await isDatabaseIdle(site);
  });
  const pass = async (after: { minutes: number } | { days: number }) => {
    clock.advance(after);
    await site.passNow();
  };
  await studio.payments.connect.mutate({ key: account.key });
  const { id: post } = await site.sellPost();
  const { id: month } = await site.sellMembership();
  const grace = 'grace@example.com';
  await beginCheckout(site, post, grace);
  await studio.offers.update.mutate({ id: post, amount: 50 });
  await stripe.pay(await beginCheckout(site, post, grace));
  await stripe.pay(await beginCheckout(site, month, grace));
  await pass({ minutes: 20 });
  const [charge] = ledger().charges;
  await stripe.refund(charge?.id ?? '', 100);
  await stripe.dispute(charge?.id ?? '');
  await stripe.dispute(ledger().charges[1]?.id ?? '');
  await pass({ minutes: 20 });
  await pass({ days: 30 });
  const member = await withLearning(site, { siteId: site.siteId, token }).signUp(grace);
  const later = await signIn();
  const { items: memberships } = await later.memberships.list.query();
  const { items: purchases } = await later.purchases.list.query();
  const portal = { membership_id: memberships[0]?.id ?? '' };
  expect((await member.visit(`/account/receipts/${purchases[0]?.id}`)).status).toBe(303);
  expect((await member.visit('/account/billing', { form: portal })).status).toBe(303);
  const { key } = stripe.createAccount({ id: account.id, livemode: true });
  await later.payments.connect.mutate({ key });
  await visit(`/buy/${post}`, { form: { email: 'ada@example.com' } });
  await later.payments.disconnect.mutate();
  expect([...paths].toSorted()).toEqual([
    'DELETE /v1/webhook_endpoints/:id',
    'GET /v1/account',
    'GET /v1/billing_portal/configurations/:id',
    'GET /v1/charges',
    'GET /v1/charges/:id',
    'GET /v1/checkout/sessions/:id',
    'GET /v1/disputes',
    'GET /v1/events',
    'GET /v1/invoice_payments',
    'GET /v1/invoices',
    'GET /v1/payment_intents',
    'GET /v1/refunds',
    'GET /v1/subscriptions',
    'GET /v1/subscriptions/:id',
    'GET /v1/webhook_endpoints',
    'POST /v1/billing_portal/configurations',
    'POST /v1/billing_portal/configurations/:id',
    'POST /v1/billing_portal/sessions',
    'POST /v1/checkout/sessions',
    'POST /v1/checkout/sessions/:id/expire',
    'POST /v1/products',
    'POST /v1/products/:id',
    'POST /v1/webhook_endpoints',
  ]);
});

test.runIf(isLong)(
  'while 50 calls to Stripe hang, other requests take less than 250 ms more than without',
  async () => {
    await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
    const { id } = await site.sellPost();
    await beginCheckout(site, id, 'first@example.com');
    const requests = otherRequests(site, id, await site.seed.key({ scopes: scopeNames }));
    const took: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
    const time = async (name: 'alone' | 'beside', isOver = () => false) => {
      for (let count = 0; count < 20 && !isOver(); count++)
        for (const request of Object.values(requests)) {
          const startedAt = performance.now();
          await request();
          took[name].push(performance.now() - startedAt);
        }
    };
    await time('alone');
    took.alone = [];
    for (let round = 0; round < 10; round++) {
      await time('alone');
      const hanging = await hang(site, id, 50, round);
      await time('beside', hanging.hasEnded);
      await hanging.release();
      site.clock.advance({ hours: 1 });
    }
    // The slowest requests are slow without hanging calls too, so each part of one distribution is compared with that of the other.
    const shares = [0.5, 0.9, 0.99, 1];
    const figures = (values: number[]) => shares.map((share) => Math.round(quantile(values, share)));
    const [alone, beside] = [figures(took.alone), figures(took.beside)];
    console.log(
      `ms without ${alone.join(', ')}; with hanging calls ${beside.join(', ')} (at ${shares.join(', ')})`,
    );
    expect(Math.max(...beside.map((ms, at) => ms - (alone[at] ?? 0)))).toBeLessThan(250);
  },
);

test('while the sync pass of one site hangs, the sales of another site are still recorded', async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe, clock } = site;
  const { id } = await site.sellPost();
  const otherAccount = stripe.createAccount({ livemode: true });
  const run = (text: string) => site.deps.database.em.fork().execute(text);
  await stripe.pay(await beginCheckout(site, id, 'grace@example.com'));
  // Another connection, which is due first and whose account does not answer.
  const sealed = site.deps.secrets.seal(otherAccount.key, JSON.stringify(['payments', 'hanging']));
  await run(`insert into payment_connections (site_id, id, account_name, livemode, key_sealed, automatic_tax, promotion_codes,
      public_url, lease_fence, state, created, updated, due_at)
    select 'hanging', 'hanging', '', true, '${sealed}', false, false, public_url, 0, 'active', created, updated, created
      from payment_connections`);
  stripe.faults.account = otherAccount.id;
  stripe.faults.hang = 1;
  const worker = await startTestWorker(site, { publicUrl: site.deps.config.publicUrl });
  const isHanging = () => stripe.calls.some(({ account }) => account === otherAccount.id);
  await eventually(() => isHanging());
  clock.advance({ seconds: 90 });
  await eventually(() =>
    expectRowsOfLedger(site).then(
      () => true,
      () => false,
    ),
  );
  // A stopping worker waits for its passes.
  await stripe.kill();
  await worker[Symbol.asyncDispose]();
  await stripe.restart();
});
