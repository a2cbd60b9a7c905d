import { expect, test } from 'vitest';
import { startConnectedSite } from '../support/selling-site.ts';
import { judgePlans } from '../support/statements/judge-plans.ts';

test('disputes, refunds, failed payments and double memberships need attention, each with its page at Stripe', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { studio, stripe } = app;
  const list = async () => (await studio.attention.list.query()).items;
  expect(await list()).toEqual([]);
  const buy = async (offer: string, email: string) => {
    await app.visit(`/buy/${offer}`, { form: { email } });
    const session = app.sessions().at(-1);
    await stripe.pay(session?.id ?? '');
    await app.passNow();
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
  await app.passNow();
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

test('pages of sales that need attention have at most per_page rows and the same total, also if a broken connection comes first', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { em } = app.deps.database;
  const refunded = 'refunded_amount = 49, updated = now()';
  const { id } = await app.sellPost();
  for (const email of ['a@example.com', 'b@example.com']) {
    await app.visit(`/buy/${id}`, { form: { email } });
    await app.stripe.pay(app.sessions().at(-1)?.id ?? '');
  }
  await app.passNow();
  await em.execute(`update purchases set ${refunded}`);
  const pagesOf = async (pages: number[]) => {
    const shown = [];
    for (const page of pages) shown.push(await app.studio.attention.list.query({ page, per_page: 1 }));
    return shown.map(({ items, total }) => [items.map(({ reason }) => reason), total]);
  };
  expect(await pagesOf([1, 2, 3])).toEqual([
    [['refunded'], 2],
    [['refunded'], 2],
    [[], 2],
  ]);
  await em.execute(`update payment_connections set state = 'broken', reason = 'key_refused'`);
  expect(await pagesOf([1, 2, 3, 4])).toEqual([
    [['key_broken'], 3],
    [['refunded'], 3],
    [['refunded'], 3],
    [[], 3],
  ]);
  const { items } = await app.studio.attention.list.query({ per_page: 2 });
  expect(items.map(({ reason }) => reason)).toEqual(['key_broken', 'refunded']);
});

test('among 20,000 purchases and 2,000 memberships, indexes find the sales that need attention', async () => {
  await using app = await startConnectedSite({ livemode: true });
  const { em } = app.deps.database;
  // Ten times as many rows of other sites, as in a database of many sites.
  const sites = `(select id from sites union all select 'other' || n from generate_series(1, 10) n) s`;
  await em.execute(`insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created, updated, refunded_amount, dispute)
    select s.id, 'p' || lpad(n::text, 14, '0'), n || '@example.com', 'posts', 'post', 9, 'EUR', now(), now(),
      case when n % 1000 = 0 then 9 else 0 end, case when n % 1999 = 0 then 'open' else 'none' end
    from ${sites}, generate_series(1, 20000) n`);
  await em.execute(`insert into memberships (site_id, id, email, tiers, state, blocked, provider, external_id, open_until, trial_used, as_of, livemode, created, updated)
    select s.id, 'm' || lpad(n::text, 14, '0'), n % 1998 || '@example.com', '{paid}', case when n % 2 = 0 then 'active' else 'ended' end,
      n % 500 = 0, 'stripe', 'sub_' || n, 'infinity', false, now(), true, now(), now()
    from ${sites}, generate_series(1, 2000) n`);
  await em.execute('analyze');
  using judged = await judgePlans(app.databaseUrl, () => 'attention');
  const { total } = await app.studio.attention.list.query();
  const [refunded, disputed, blocked, double] = [20, 10, 4, 1];
  expect(total).toBe(refunded + disputed + blocked + double);
  const faults = [...judged.faults].filter(([statement]) => statement.includes('two_memberships'));
  expect(faults).toEqual([]);
});
