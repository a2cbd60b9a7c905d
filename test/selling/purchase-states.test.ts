import { afterAll, expect, test } from 'vitest';
import { purchaseStateOf } from '../../shared/contract/audience/purchase.ts';
import { mailboxOf } from '../../shared/contract/email.ts';
import { failure } from '../support/http.ts';
import { startPaymentReports } from '../support/payment-reports.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// States of purchases, corrections by owners, and lists of sales.

const app = await startPaymentReports();
afterAll(() => app[Symbol.asyncDispose]());
const { studio, course, run, eventsNamed, saleOf, recorded, update, read } = app;

test('an API key can set a purchase from any state to any other, and its columns follow', async () => {
  const states = ['paid', 'refunded', 'disputed', 'revoked'] as const;
  const columns = {
    paid: { refunded_amount: 0, dispute: 'none', revoked_at: null },
    refunded: { refunded_amount: 49.5, dispute: 'none', revoked_at: null },
    disputed: { dispute: 'open', revoked_at: null },
    revoked: { revoked_at: expect.any(String) },
  };
  const id = await recorded();
  for (const from of states)
    for (const to of states) {
      for (const state of [from, to])
        expect(await update(id, { state })).toEqual({ status: 200, body: { status: 'updated' } });
      expect([from, to, await read(id)]).toMatchObject([from, to, { state: to, ...columns[to] }]);
    }
});

test('a partial refund leaves a purchase paid, a full one makes it refunded, and a higher one is refused', async () => {
  const id = await recorded();
  const refund = (refunded_amount: number) => update(id, { refunded_amount });
  expect((await refund(49.49)).status).toBe(200);
  expect(await read(id)).toMatchObject({ state: 'paid', refunded_amount: 49.49 });
  expect((await refund(49.5)).status).toBe(200);
  expect(await read(id)).toMatchObject({ state: 'refunded' });
  expect((await refund(0)).status).toBe(200);
  expect(await read(id)).toMatchObject({ state: 'paid' });
  for (const wrong of [
    { refunded_amount: 49.51 },
    { refunded_amount: -1 },
    { refunded_amount: 0.001 },
    { state: 'refunded', refunded_amount: 1 },
    { state: 'paid', refunded_amount: 49.5 },
  ])
    expect([wrong, await update(id, wrong)]).toMatchObject([
      wrong,
      { status: 400, body: { error: { code: 'validation_failed', fields: [{ path: 'refunded_amount' }] } } },
    ]);
  const free = await recorded({ amount: 0 });
  expect(await update(free, { state: 'refunded' })).toEqual(
    failure(400, 'validation_failed', 'state: a purchase with the amount 0 cannot be refunded'),
  );
  expect(await read(free)).toMatchObject({ state: 'paid', updated: await created(free) });
  expect(await update('a'.repeat(15), { state: 'paid' })).toEqual(failure(404, 'not_found'));
});

const created = async (id: string) => ((await read(id)) as { created?: string } | null)?.created;

test('API keys cannot change purchases through Stripe or the demo provider; owners can revoke their access and restore it', async () => {
  for (const provider of ['stripe', 'demo']) {
    const id = await recorded();
    await run('update purchases set provider = ? where id = ?', [provider, id]);
    expect(await update(id, { state: 'revoked' })).toEqual(
      failure(409, 'payment_conflict', `purchases through ${provider} follow the payment provider`),
    );
    await studio.purchases.update.mutate({ id, state: 'revoked' });
    expect(await read(id)).toMatchObject({ state: 'revoked' });
    await studio.purchases.update.mutate({ id, state: 'paid' });
    expect(await read(id)).toMatchObject({ state: 'paid' });
    await run(`update purchases set dispute = 'open' where id = ?`, [id]);
    expect(await refusal(studio.purchases.update.mutate({ id, state: 'paid' }))).toMatchObject({
      code: 'payment_conflict',
    });
  }
});

test('the state of every combination of columns is the same in SQL and in code', async () => {
  const rows = await run<{ state: string } & Parameters<typeof purchaseStateOf>[0]>(`
    with combined as (
      insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created,
        refunded_amount, dispute, revoked_at)
      select 'elsewhere', row_number() over ()::text, '', '', '', amount, 'EUR', now(), refunded, dispute, revoked
      from unnest(array[0, 0.5, 10]::numeric[]) amount, unnest(array[0, 0.5, 9.99, 10]::numeric[]) refunded,
        unnest(array['none', 'open', 'won', 'lost']) dispute, unnest(array[null, now()]) revoked
      returning *
    ) select amount::float8, refunded_amount::float8, dispute, revoked_at, state from combined`);
  expect(rows).toHaveLength(96);
  for (const row of rows) expect([row, purchaseStateOf(row)]).toEqual([row, row.state]);
});

test('mailboxes are the same in SQL and in code', async () => {
  const addresses = ['a@b.c', 'a+b@b.c', 'a+b+c@b.c', '+a@b.c', '++a@b.c', 'a.b+@b.c', '+@b.c'];
  const rows = await run<{ mailbox: string }>('select mailbox_of(a) as mailbox from unnest(?::text[]) a', [
    `{${addresses.join()}}`,
  ]);
  expect(rows.map(({ mailbox }) => mailbox)).toEqual(addresses.map(mailboxOf));
});

test('a purchase of a course through any provider enrolls its buyer once, and correcting its email address moves the enrollment', async () => {
  const buyer_email = 'learner@example.com';
  const enrolled = async () =>
    (await studio.enrollments.list.query({ course_id: course })).items.map((item) => item.buyer_email);
  const id = await recorded({ content_type: 'courses', content_id: course, buyer_email });
  expect(await enrolled()).toContain(buyer_email);
  const { id: byHand } = await studio.purchases.record.mutate({
    ...{ buyer_email, content_type: 'courses', content_id: course, amount: 1, currency: 'EUR' },
  });
  const events = async () =>
    (await eventsNamed('course.enrolled')).filter(
      (data) => 'buyer_email' in data && String(data.buyer_email).includes('learner'),
    );
  expect(await events()).toHaveLength(1);
  // The other purchase keeps the old address enrolled.
  await studio.purchases.update.mutate({ id, buyer_email: 'New-Learner@example.com' });
  expect((await enrolled()).filter((email) => email.includes('learner'))).toHaveLength(2);
  await studio.purchases.update.mutate({ id: byHand, buyer_email: 'third-learner@example.com' });
  expect((await enrolled()).filter((email) => email.includes('learner')).sort()).toEqual([
    'new-learner@example.com',
    'third-learner@example.com',
  ]);
  expect(await events()).toHaveLength(2);
  // An enrolled learner is not enrolled twice.
  await studio.purchases.update.mutate({ id: byHand, buyer_email: 'new-learner@example.com' });
  expect((await enrolled()).filter((email) => email === 'new-learner@example.com')).toHaveLength(1);
});

test('concurrent corrections of purchases to one address enroll it once', async () => {
  const { id: other } = await studio.courses.create.mutate({ title: 'Races', access_tier: 'paid' });
  for (const round of [1, 2, 3, 4, 5]) {
    const to = `together-${round}@example.com`;
    const ids = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        recorded({
          content_type: 'courses',
          content_id: other,
          buyer_email: `racer-${round}-${n}@example.com`,
        }),
      ),
    );
    await Promise.all(ids.map((id) => studio.purchases.update.mutate({ id, buyer_email: to })));
    for (const id of ids) expect(await read(id)).toMatchObject({ buyer_email: to });
    const enrolled = await run('select from enrollments where course_id = ? and buyer_email = ?', [
      other,
      to,
    ]);
    expect(enrolled).toHaveLength(1);
  }
});

test('sales are listed newest first, or from a given time on in the order of their changes', async () => {
  const site = await app.seed.site();
  const own = ownerClient(app.baseUrl, await app.seed.ownerToken(site)).studio;
  const ownKey = await app.seed.key({ siteId: site, scopes: ['read:payments', 'write:payments'] });
  const { id: content_id } = await own.posts.create.mutate({ title: 'Own' });
  const ids: string[] = [];
  for (const n of [0, 1, 2, 3]) {
    app.clock.advance({ minutes: 1 });
    const body = saleOf({ content_id, buyer_email: `buyer-${n % 2}@example.com` });
    const answer = await app.post('/api/v2/purchases', { key: ownKey, body });
    ids.push((answer.body as { id: string }).id);
  }
  const list = async (query: string) => {
    const { body } = await app.get(`/api/v2/purchases?${query}`, { key: ownKey });
    const { items, ...about } = body as { items: { id: string }[] };
    return { at: items.map(({ id }) => ids.indexOf(id)), ...about };
  };
  const from = new Date(app.clock.now().getTime() - 60_000).toISOString();
  expect(await list('')).toEqual({ at: [3, 2, 1, 0], page: 1, per_page: 50, total: 4 });
  expect(await list(`updated_from=${from}`)).toMatchObject({ at: [2, 3], total: 2 });
  app.clock.advance({ minutes: 1 });
  await app.patch(`/api/v2/purchases/${ids[0]}`, { key: ownKey, body: { state: 'revoked' } });
  expect(await list(`updated_from=${from}`)).toMatchObject({ at: [2, 3, 0], total: 3 });
  expect(await list(`updated_from=${from}&per_page=1&page=3`)).toMatchObject({ at: [0], total: 3 });
  expect(await list(`updated_from=${from}&state=paid`)).toMatchObject({ at: [2, 3], total: 2 });
  expect(await list('state=revoked')).toMatchObject({ at: [0], total: 1 });
  expect(await list('buyer_email=Buyer-1@example.com')).toMatchObject({ at: [3, 1], total: 2 });
  expect(await list('buyer_email=buyer-0@example.com&state=paid')).toMatchObject({ at: [2], total: 1 });
  expect(await app.get('/api/v2/purchases?state=gone', { key: ownKey })).toMatchObject({ status: 400 });
});
