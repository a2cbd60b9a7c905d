import { afterAll, expect, test } from 'vitest';
import { anyId } from '../support/matchers.ts';
import { startPaymentReports } from '../support/payment-reports.ts';
import { refusal } from '../support/rpc.ts';

// Memberships that any provider reports over REST.

const app = await startPaymentReports();
afterAll(() => app[Symbol.asyncDispose]());
const { key, studio, report } = app;

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
