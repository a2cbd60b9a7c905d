import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { beginCheckout } from '../support/sales-history.ts';
import { type StripeSite, startConnectedSite, startStripeSite } from '../support/selling-site.ts';
import { startTestWorker } from '../support/worker.ts';

// Owners replace or disconnect their account while buyers are in the checkout, against the stand-in.

const grace = 'grace@example.com';

const leave = {
  disconnect: (site: StripeSite) => site.studio.payments.disconnect.mutate(),
  replace: (site: StripeSite) => {
    const { key } = site.stripe.createAccount({ livemode: true });
    return site.studio.payments.connect.mutate({ key, confirm: true });
  },
};

const ways = ['disconnect', 'replace'] as const;

/** Pages of the account that was left and that a buyer could still pay. */
const openPages = (site: StripeSite) => site.sessions().filter(({ status }) => status === 'open');

const stored = ({ deps }: StripeSite, what: string) => deps.database.em.fork().execute<unknown[]>(what);

/** Waits until this many statements wait for locks. */
const waitsForLocks = ({ deps }: Pick<StripeSite, 'deps'>, count: number) =>
  eventually(async () => {
    const [row] = await deps.database.em.fork().execute<{ waiting: number }[]>(
      `select count(*)::integer as waiting from pg_locks
       where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`,
    );
    return row?.waiting === count;
  });

/** Makes queued jobs due now. */
const runJobs = (site: StripeSite) =>
  stored(
    site,
    'update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null',
  );

const sales = (site: StripeSite) => stored(site, 'select buyer_email from purchases order by created');

test.for(ways)(
  'a payment page that Stripe creates while the site leaves the account by %s cannot be paid',
  async (way) => {
    await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
    const { id } = await site.sellPost();
    const left = Promise.withResolvers<unknown>();
    // Stripe has created the page, and its answer arrives after the owner left the account.
    site.stripe.onCall(async ({ path, method, account }, when) => {
      if (`${method} ${path}` !== 'POST /v1/checkout/sessions' || when !== 'after') return;
      if (account !== site.account.id) return;
      site.stripe.onCall(() => {});
      left.resolve(await leave[way](site));
    });
    const begun = await visitorClient(site.baseUrl)
      .site.checkout.begin.mutate({ offer_id: id, email: grace })
      .catch(() => null);
    await left.promise;
    expect(openPages(site)).toEqual([]);
    // The checkout goes on at the new account, if there is one.
    const pages = site.sessions().map(({ url }) => url);
    expect([begun !== null, pages.includes(begun?.url ?? '')]).toEqual([way === 'replace', false]);
  },
);

test.for(ways)(
  'a checkout that begins while a Stripe account is left by %s is not at that account',
  async (way) => {
    await using site = await startConnectedSite({ livemode: true });
    const { id } = await site.sellPost();
    await beginCheckout(site, id, 'first@example.com');
    const begun: unknown[] = [];
    site.stripe.onCall(async ({ path }, when) => {
      if (!path.endsWith('/expire') || when !== 'before' || begun.length > 0) return;
      begun.push('begins');
      await visitorClient(site.baseUrl)
        .site.checkout.begin.mutate({ offer_id: id, email: grace })
        .catch(() => null);
    });
    await leave[way](site);
    expect(openPages(site)).toEqual([]);
  },
);

test('a checkout that is decided waits for the transaction that replaces its account', async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { id } = await site.sellPost();
  await beginCheckout(site, id, 'first@example.com');
  const holder = site.deps.database.em.fork();
  await holder.begin();
  await holder.execute('select from payment_connections for update');
  const begun = refusal(
    visitorClient(site.baseUrl).site.checkout.begin.mutate({ offer_id: id, email: grace }),
  );
  await waitsForLocks(site, 1);
  await holder.execute('delete from payment_connections');
  await holder.commit();
  await begun;
  expect(site.sessions()).toHaveLength(1);
});

test.for(ways)(
  'a payment at the previous Stripe account that is made after %s, while Stripe did not answer, is recorded',
  async (way) => {
    await using site = await startConnectedSite({ livemode: true });
    const { id } = await site.sellPost();
    const pages = [];
    for (const buyer of ['paid', 'open', 'late'])
      pages.push(await beginCheckout(site, id, `${buyer}@example.com`));
    site.stripe.onCall(({ path, account }, when) => {
      const isLeft = account === site.account.id && path.endsWith('/expire');
      if (isLeft && when === 'before') site.stripe.next('429');
    });
    await leave[way](site);
    site.stripe.onCall(() => {});
    expect(await stored(site, 'select distinct state from checkouts')).toEqual([{ state: 'expired' }]);
    await site.stripe.pay(pages[0] ?? '');
    await runJobs(site);
    await using _ = await startTestWorker(site, { publicUrl: site.deps.config.publicUrl });
    await eventually(() => openPages(site).length === 0);
    expect(await sales(site)).toEqual([{ buyer_email: 'paid@example.com' }]);
  },
);

test('a bank transfer that was pending when the Stripe account was left is recorded once it arrives', async () => {
  await using site = await startConnectedSite({ livemode: true });
  const { id } = await site.sellPost();
  const [settles, fails, never] = [
    await beginCheckout(site, id, 'settles@example.com'),
    await beginCheckout(site, id, 'fails@example.com'),
    await beginCheckout(site, id, 'never@example.com'),
  ];
  for (const page of [settles, fails, never]) await site.stripe.pay(page, { method: 'sepa' });
  await site.passNow();
  await leave.replace(site);
  await site.stripe.settle(settles);
  await site.stripe.fail(fails);
  const states = async () =>
    Object.fromEntries(
      (
        await site.deps.database.em
          .fork()
          .execute<{ buyer: string; state: string }[]>(
            `select split_part(email, '@', 1) as buyer, state from checkouts order by email`,
          )
      ).map(({ buyer, state }) => [buyer, state]),
    );
  await using _ = await startTestWorker(site, { publicUrl: site.deps.config.publicUrl });
  const become = (expected: Record<string, string>) =>
    eventually(async () => {
      await runJobs(site);
      return JSON.stringify(await states()) === JSON.stringify(expected);
    });
  await become({ fails: 'failed', never: 'paying', settles: 'paid' });
  expect(await sales(site)).toEqual([{ buyer_email: 'settles@example.com' }]);
  // After three weeks it is not waited for any more, so that the buyer can buy again.
  site.clock.advance({ days: 22 });
  await become({ fails: 'failed', never: 'failed', settles: 'paid' });
});

/** Lets two calls of a request overlap: the first waits before this call for the second. */
function meetAt(site: { stripe: StripeSite['stripe'] }, path: string) {
  const both = Promise.withResolvers<void>();
  let arrived = 0;
  site.stripe.onCall(async (call, when) => {
    if (call.path !== path || when !== 'before') return;
    arrived += 1;
    if (arrived === 2) both.resolve();
    await both.promise;
  });
}

test('of two first connections at the same time one wins; the other changes it, or names the field to confirm', async () => {
  await using site = await startStripeSite();
  const connect = (key: string) => site.studio.payments.connect.mutate({ key });
  meetAt(site, '/v1/account');
  const { key: second } = site.stripe.createAccount({ id: site.account.id });
  const same = await Promise.all([connect(site.account.key), connect(second)]);
  expect(same.map(({ state }) => state)).toEqual(['active', 'active']);
  expect(await site.rows('select from payment_connections')).toHaveLength(1);
  await site.studio.payments.disconnect.mutate();
  meetAt(site, '/v1/account');
  const { key: other } = site.stripe.createAccount();
  const both = await Promise.allSettled([connect(site.account.key), connect(other)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const lost = both.find((one) => one.status === 'rejected');
  expect(await refusal(Promise.reject(lost?.reason))).toMatchObject({
    code: 'validation_failed',
    message: expect.stringMatching(/^confirm: /),
  });
});

test('of two requests that disconnect at the same time, the later one gets not_found', async () => {
  await using site = await startStripeSite();
  await site.connect();
  const holder = site.deps.database.em.fork();
  await holder.begin();
  await holder.execute('select from payment_connections for update');
  const both = Promise.allSettled([1, 2].map(() => site.studio.payments.disconnect.mutate()));
  await waitsForLocks(site, 1);
  await holder.commit();
  expect((await both).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a request that leaves an account returns although Stripe does not answer, and the job ends the pages', async () => {
  await using site = await startConnectedSite({ livemode: true });
  const { id } = await site.sellPost();
  for (const buyer of ['a', 'b', 'c']) await beginCheckout(site, id, `${buyer}@example.com`);
  site.stripe.faults.hang = 1;
  expect(await leave.disconnect(site)).toEqual({ memberships: 0 });
  expect(openPages(site)).toHaveLength(3);
  site.stripe.recover();
  await runJobs(site);
  await using _ = await startTestWorker(site, { publicUrl: site.deps.config.publicUrl });
  await eventually(() => openPages(site).length === 0);
});
