import { afterAll, expect, test } from 'vitest';
import { purchaseStateOf } from '../../shared/contract/audience/purchase.ts';
import { amountProblem } from '../../shared/contract/currencies.ts';
import { mailboxOf } from '../../shared/contract/email.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Sales that any provider reports over REST, and what owners correct.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const siteId = await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['read:payments', 'write:payments'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const { id: post } = await studio.posts.create.mutate({
  title: 'Paid',
  access_tier: 'paid',
  content: 'Body',
});
const { id: course } = await studio.courses.create.mutate({ title: 'Course', access_tier: 'paid' });

const run = <Row>(text: string, values: unknown[] = []) =>
  app.deps.database.em.fork().execute<Row[]>(text, values);
const eventsNamed = async (name: string) =>
  (await run<{ data: object }>(`select body::json -> 'data' as data from events where name = ?`, [name])).map(
    ({ data }) => data,
  );

let numbered = 0;
const saleOf = (values: object = {}) => {
  numbered += 1;
  return {
    buyer_email: 'Grace@Example.com',
    content_type: 'posts',
    content_id: post,
    amount: 49.5,
    currency: 'EUR',
    provider: 'gumroad',
    external_id: `sale-${numbered}`,
    ...values,
  };
};
const record = (body: object) => app.post('/api/v2/purchases', { key, body });
const recorded = async (values: object = {}) => {
  const { status, body } = await record(saleOf(values));
  expect(status).toBe(201);
  return (body as { id: string }).id;
};
const update = (id: string, body: object) => app.patch(`/api/v2/purchases/${id}`, { key, body });
const listed = async (query: string) =>
  (await app.get(`/api/v2/purchases?${query}`, { key })).body as { items: { id: string }[]; total: number };
const read = async (id: string) =>
  (await listed('per_page=200')).items.find((item) => item.id === id) ?? null;

const now = '2026-01-31 09:05:00.123Z';

test('a reported sale is a purchase with its event, and the same report again answers 200 with the same body', async () => {
  const sale = saleOf({ buyer_email: 'First@Example.com' });
  const first = await record(sale);
  expect(first).toEqual({ status: 201, body: { id: anyId, created: now } });
  const { provider, external_id, ...bought } = sale;
  const buyer_email = 'first@example.com';
  const { id } = first.body as { id: string };
  app.clock.advance({ seconds: 1 });
  // The address is not compared: an owner may have corrected it.
  for (const again of [sale, { ...sale, buyer_email: 'other@example.com' }])
    expect(await record(again)).toEqual({ ...first, status: 200 });
  expect(await read(id)).toEqual({
    ...{ id, ...bought, buyer_email, provider, external_id, state: 'paid' },
    ...{ refunded_amount: 0, dispute: 'none', revoked_at: null, offer_id: null, livemode: true },
    ...{ created: now, updated: now },
  });
  expect(await eventsNamed('purchase.completed')).toEqual([
    { id, collection: 'purchases', ...bought, buyer_email },
  ]);
});

test('a report with another amount, currency or record is payment_conflict and changes nothing', async () => {
  const sale = saleOf();
  await record(sale);
  const { id: other } = await studio.posts.create.mutate({ title: 'Other' });
  const before = await run('select * from purchases where external_id = ?', [sale.external_id]);
  for (const change of [
    { amount: 49.51 },
    { currency: 'USD' },
    { content_id: other },
    { content_type: 'courses', content_id: course },
  ])
    expect(await record({ ...sale, ...change })).toEqual(
      failure(
        409,
        'payment_conflict',
        'this `external_id` was recorded with another amount, currency or record',
      ),
    );
  expect(await run('select * from purchases where external_id = ?', [sale.external_id])).toEqual(before);
});

test('the same external_id of another provider, or at another site, is another sale', async () => {
  const sale = saleOf();
  expect((await record(sale)).status).toBe(201);
  expect((await record({ ...sale, provider: 'paddle', amount: 1 })).status).toBe(201);
  const theirs = await app.seed.site();
  const theirStudio = ownerClient(app.baseUrl, await app.seed.ownerToken(theirs)).studio;
  const { id: content_id } = await theirStudio.posts.create.mutate({ title: 'Theirs' });
  const theirKey = await app.seed.key({ siteId: theirs, scopes: ['write:payments'] });
  const body = { ...sale, content_id, amount: 2 };
  expect((await app.post('/api/v2/purchases', { key: theirKey, body })).status).toBe(201);
});

test('fifty concurrent reports of one sale make one row and one event', async () => {
  const sale = saleOf({ content_type: 'courses', content_id: course, buyer_email: 'crowd@example.com' });
  const events = async () =>
    [...(await eventsNamed('purchase.completed')), ...(await eventsNamed('course.enrolled'))].filter(
      (data) => 'buyer_email' in data && data.buyer_email === 'crowd@example.com',
    ).length;
  const answers = await Promise.all(Array.from({ length: 50 }, () => record(sale)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(
    await run('select count(*)::int as rows from purchases where external_id = ?', [sale.external_id]),
  ).toEqual([{ rows: 1 }]);
  expect(await events()).toBe(2);
});

test.for(keysOf(resources))('a sale of a draft in %s is recorded', async (content_type) => {
  const [{ id }] = await run<{ id: string }>(`select id from ${content_type} where site_id = ? limit 1`, [
    siteId,
  ]).then(async ([row]) => [row ?? (await createIn(content_type))] as const);
  expect(await record(saleOf({ content_type, content_id: id }))).toMatchObject({ status: 201 });
});

async function createIn(collection: (typeof resources)[keyof typeof resources]['collection']) {
  const required = {
    title: 'A draft',
    name: 'A draft',
    company: 'A draft',
    institution: 'A draft',
    is_draft: true,
  };
  const { fields } = resources[collection];
  const values = Object.fromEntries(Object.entries(required).filter(([name]) => name in fields));
  const { create }: { create: { mutate(input: object): Promise<{ id: string }> } } = studio[collection];
  return create.mutate(values);
}

test('each wrong field of a reported sale is validation_failed at its path, and nothing is stored', async () => {
  const rows = () => run('select count(*)::int as rows from purchases');
  const before = await rows();
  const wrong: [path: string, values: object][] = [
    ['buyer_email', { buyer_email: 'nobody' }],
    ['content_type', { content_type: 'lessons' }],
    ['content_id', { content_id: 'a'.repeat(15) }],
    ['content_id', { content_type: 'projects' }],
    ['amount', { amount: -1 }],
    ['amount', { amount: 1.005 }],
    ['amount', { amount: 1.5, currency: 'JPY' }],
    ['amount', { amount: 1.5, currency: 'ISK' }],
    ['amount', { amount: 1.0005, currency: 'KWD' }],
    ['amount', { amount: '1' }],
    ['currency', { currency: 'ZZZ' }],
    ['currency', { currency: undefined }],
    ['provider', { provider: 'stripe' }],
    ['provider', { provider: 'demo' }],
    ['provider', { provider: 'manual' }],
    ['provider', { provider: 'Gumroad' }],
    ['provider', { provider: '' }],
    ['provider', { provider: 'a'.repeat(31) }],
    ['provider', { provider: undefined }],
    ['external_id', { external_id: '' }],
    ['external_id', { external_id: 'a'.repeat(201) }],
    ['external_id', { external_id: 'a\u0007' }],
    ['external_id', { external_id: 'a\n' }],
    ['external_id', { external_id: undefined }],
    ['notify', { notify: 'yes' }],
    ['state', { state: 'paid' }],
    ['livemode', { livemode: false }],
  ];
  for (const [path, values] of wrong) {
    const answer = await record(saleOf(values));
    expect([values, answer]).toMatchObject([
      values,
      { status: 400, body: { error: { code: 'validation_failed', fields: [{ path }] } } },
    ]);
  }
  expect(await rows()).toEqual(before);
});

test('amounts have as many decimals as their currency: none, two or three', async () => {
  for (const values of [
    { amount: 1500, currency: 'JPY' },
    { amount: 1500, currency: 'UGX' },
    { amount: 0.01, currency: 'USD' },
    { amount: 1.234, currency: 'KWD' },
    { amount: 0, currency: 'EUR' },
  ])
    expect(await read(await recorded(values))).toMatchObject(values);
  expect(amountProblem(1.234, 'KWD', 2)).toBe('must have at most 2 decimals in KWD');
});

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

const report = (values: object) =>
  app.post('/api/v2/memberships', {
    key,
    body: {
      provider: 'patreon',
      external_id: 'pledge-1',
      email: 'fan@example.com',
      tiers: ['members'],
      state: 'active',
      open_until: app.clock.inMinutes(60 * 24 * 30).toISOString(),
      as_of: app.clock.now().toISOString(),
      ...values,
    },
  });
const memberships = async (query = '') =>
  ((await app.get(`/api/v2/memberships?${query}`, { key })).body as { items: object[] }).items;

test('a membership is reported, and only newer reports change it, never its address', async () => {
  const first = await report({});
  expect(first).toEqual({ status: 201, body: { id: anyId, created: expect.any(String) } });
  const stored = {
    ...{ email: 'fan@example.com', tiers: ['members'], state: 'active', provider: 'patreon', blocked: false },
    ...{
      external_id: 'pledge-1',
      amount: null,
      currency: null,
      interval: null,
      offer_id: null,
      livemode: true,
    },
    ...{ cancel_at: null },
  };
  const [before] = await memberships();
  expect(before).toEqual({
    ...stored,
    ...(first.body as object),
    ...{ open_until: expect.any(String), as_of: expect.any(String), updated: expect.any(String) },
  });
  const at = app.clock.now().getTime();
  const change = { tiers: ['paid'], state: 'past_due', email: 'other@example.com' };
  for (const as_of of [at, at - 1])
    expect(await report({ ...change, as_of: new Date(as_of).toISOString() })).toEqual({
      ...first,
      status: 200,
    });
  expect(await memberships()).toEqual([before]);
  expect(await report({ ...change, as_of: new Date(at + 1).toISOString() })).toEqual({
    ...first,
    status: 200,
  });
  expect(await memberships('state=past_due&email=Fan@example.com')).toMatchObject([
    { ...stored, tiers: ['paid'], state: 'past_due' },
  ]);
  await studio.memberships.update.mutate({
    id: (first.body as { id: string }).id,
    email: 'Right@example.com',
  });
  app.clock.advance({ minutes: 1 });
  await report({ email: 'wrong@example.com' });
  expect(await memberships()).toMatchObject([{ email: 'right@example.com', state: 'active' }]);
  expect(
    await refusal(studio.memberships.update.mutate({ id: 'a'.repeat(15), email: 'a@b.example' })),
  ).toMatchObject({
    code: 'not_found',
  });
});

test('fifty concurrent reports of one membership make one row with the newest state', async () => {
  const states = ['trialing', 'active', 'past_due'];
  const at = app.clock.now().getTime();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      report({
        external_id: 'pledge-50',
        state: states[(n * 7) % 3],
        tiers: n === 31 ? ['paid', 'members'] : ['paid'],
        as_of: new Date(at + (n === 31 ? 1_000 : n)).toISOString(),
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
  expect(
    (await memberships()).filter((one) => 'external_id' in one && one.external_id === 'pledge-50'),
  ).toMatchObject([{ tiers: ['paid', 'members'] }]);
});

test('an ended membership closes immediately, whatever time it reports', async () => {
  await report({ external_id: 'pledge-2', state: 'ended' });
  const [ended] = await memberships('state=ended');
  expect(ended).toMatchObject({ open_until: app.clock.now().toISOString().replace('T', ' ') });
});

test('each wrong field of a reported membership is validation_failed at its path', async () => {
  const ahead = (minutes: number, ms = 0) =>
    new Date(app.clock.inMinutes(minutes).getTime() + ms).toISOString();
  const wrong: [path: string, values: object][] = [
    ['as_of', { as_of: ahead(5, 1) }],
    ['as_of', { as_of: 'yesterday' }],
    ['open_until', { open_until: ahead(400 * 24 * 60, 1) }],
    ['open_until', { open_until: undefined }],
    ['tiers', { tiers: [] }],
    ['tiers', { tiers: ['paid', 'paid'] }],
    ['tiers.0', { tiers: ['registered'] }],
    ['state', { state: 'unpaid' }],
    ['email', { email: 'nobody' }],
    ['provider', { provider: 'stripe' }],
    ['external_id', { external_id: '' }],
    ['amount', { amount: 5 }],
  ];
  for (const [path, values] of wrong)
    expect([values, await report({ external_id: 'wrong', ...values })]).toMatchObject([
      values,
      { status: 400, body: { error: { code: 'validation_failed', fields: [{ path }] } } },
    ]);
  expect(
    (await report({ external_id: 'right', as_of: ahead(5), open_until: ahead(400 * 24 * 60) })).status,
  ).toBe(201);
});

test('keys need the scopes of payments, and mcp:read does not open them', async () => {
  const reads = await app.seed.key({ scopes: ['read:payments'] });
  const others = await app.seed.key({ scopes: ['read', 'write', 'read:members', 'mcp:read', 'mcp:write'] });
  const body = saleOf();
  expect((await app.get('/api/v2/purchases', { key: reads })).status).toBe(200);
  for (const [path, denied] of [
    ['/api/v2/purchases', others],
    ['/api/v2/memberships', others],
  ] as const)
    expect(await app.get(path, { key: denied })).toMatchObject({ status: 403 });
  for (const denied of [reads, others])
    expect(await app.post('/api/v2/purchases', { key: denied, body })).toMatchObject({ status: 403 });
  const offered = async (scopes: Parameters<typeof app.seed.key>[0]) => {
    await using assistant = await connectAssistant(app, await app.seed.key(scopes));
    return (await assistant.toolNames()).filter((name) => /purchases|memberships/.test(name));
  };
  expect(await offered({ scopes: ['mcp:payments:read'] })).toEqual(['list_purchases', 'list_memberships']);
  expect(await offered({ scopes: ['mcp:read', 'mcp:write'] })).toEqual([]);
});

test('reports and corrections are in the audit log', async () => {
  const { items } = await studio.audit.list.query({ per_page: 200 });
  const names = new Set(items.map((item) => ('action' in item ? item.action : '')));
  for (const name of [
    'v2.purchases.record',
    'v2.purchases.update',
    'v2.memberships.report',
    'studio.purchases.update',
    'studio.memberships.update',
  ])
    expect([...names]).toContain(name);
});
