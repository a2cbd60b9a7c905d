import { afterAll, expect, test } from 'vitest';
import { amountProblem } from '../../shared/contract/currencies.ts';
import { keysOf } from '../../shared/contract/names-of.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { connectAssistant } from '../support/assistant.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';
import { startPaymentReports } from '../support/payment-reports.ts';
import { ownerClient } from '../support/rpc.ts';

// Sales that any provider reports over REST.

const app = await startPaymentReports();
afterAll(() => app[Symbol.asyncDispose]());
const { siteId, studio, course, run, eventsNamed, saleOf, record, recorded, update, read, report } = app;

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
  const id = await recorded();
  await update(id, { state: 'revoked' });
  await studio.purchases.update.mutate({ id, state: 'paid' });
  const { body } = await report({});
  await studio.memberships.update.mutate({ id: Object(body).id, email: 'other@example.com' });
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
