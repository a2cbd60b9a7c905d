import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { refusal, visitorClient } from '../support/rpc.ts';
import { beginCheckout, expectRowsOfLedger } from '../support/sales-history.ts';
import { startConnectedSite } from '../support/selling-site.ts';
import { startTestWorker } from '../support/worker.ts';

/** More than the connections of the pool. */
const hangingCalls = 20;

test('while calls to Stripe hang, every other request is answered, and no database connection is held', async () => {
  await using site = await startConnectedSite({ livemode: true, config: { countsTest: false } });
  const { stripe } = site;
  const { id } = await site.sellPost();
  await beginCheckout(site, id, 'first@example.com');
  // Views of pages are counted in the background.
  const held = () =>
    site.deps.database.em.fork().execute<{ state: string }[]>(
      `select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and (state <> 'idle' or xact_start is not null)`,
    );
  let checkouts = 0;
  /** Sends other requests while checkouts hang. Returns false if a checkout ended before the last answer. */
  async function isAnsweredMeanwhile(): Promise<boolean> {
    stripe.faults.hang = 1;
    const before = stripe.calls.length;
    let ended = 0;
    const hanging = Array.from({ length: hangingCalls }, () =>
      refusal(
        visitorClient(site.baseUrl).site.checkout.begin.mutate({
          offer_id: id,
          email: `buyer${checkouts++}@example.com`,
        }),
      ).finally(() => (ended += 1)),
    );
    const refused = Promise.all(hanging);
    await Promise.race([refused, eventually(() => stripe.calls.length >= before + hangingCalls)]);
    // These requests are answered while all calls above wait: each needs a connection of the pool.
    expect((await site.visit('/posts/sleep')).status).toBe(200);
    expect((await site.visit(`/buy/${id}`)).status).toBe(200);
    expect((await site.studio.offers.list.query()).items).toHaveLength(1);
    await eventually(async () => (await held()).length === 0);
    const isMeanwhile = ended === 0;
    await stripe.kill();
    expect(await refused).toEqual(
      Array(hangingCalls).fill(expect.objectContaining({ code: 'provider_unavailable' })),
    );
    await stripe.restart();
    return isMeanwhile;
  }
  // A busy machine may reach the timeout of the calls before the answers. Then the requests are sent again.
  await eventually(isAnsweredMeanwhile);
});

test('while the pass of one site hangs, the sales of another site are followed', async () => {
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
