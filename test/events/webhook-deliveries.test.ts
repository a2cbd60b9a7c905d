import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { resolving } from '../support/fixed-dns.ts';
import { anyId, anyTimestamp } from '../support/matchers.ts';
import { startReceiver } from '../support/tls-receiver.ts';

const at = '/api/admin/webhooks';
const start = '2026-01-31 09:05:00.123Z';
const loopback = [parseCidr('127.0.0.0/8')];

interface Made {
  id: string;
  secret: string;
}

async function subscribe(app: TestApp, key: string, url: string): Promise<Made> {
  const { body } = await app.post(at, { key, body: { url, events: ['content.created'] } });
  return body as Made;
}

test("the test operation sends a signed test event and returns the receiver's status", async () => {
  await using receiver = await startReceiver({
    answer: (_request, response) => response.writeHead(202).end(),
  });
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: loopback } });
  const key = await app.seed.ownerToken();
  const { id, secret } = await subscribe(app, key, receiver.url);
  expect(await app.post(`${at}/${id}/test`, { key })).toEqual({
    status: 200,
    body: { status_code: 202, error: null, duration_ms: expect.any(Number) },
  });
  const [request] = receiver.requests;
  const body = request?.body.toString() ?? '';
  expect(JSON.parse(body)).toEqual({
    event: 'test',
    timestamp: '2026-01-31T09:05:00.123Z',
    data: { message: 'This is a test delivery.' },
  });
  expect(request).toMatchObject({
    method: 'POST',
    path: '/hook',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      'x-service-event': 'test',
      'x-service-delivery': anyId,
      'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });
  expect(await app.get(`${at}/${id}/deliveries`, { key })).toEqual({
    status: 200,
    body: {
      data: [
        {
          id: request?.headers['x-service-delivery'],
          event: 'test',
          status: 'delivered',
          attempt_count: 1,
          last_status_code: 202,
          error: null,
          created: start,
          updated: start,
          next_attempt_at: null,
        },
      ],
      page: 1,
      per_page: 100,
      total: 1,
    },
  });
});

const failures: [what: string, answer: number | 'hang' | 'nobody', result: object][] = [
  ['an error', 500, { status_code: 500, error: 'http_status' }],
  ['a redirect', 302, { status_code: 302, error: 'redirect' }],
  ['nobody', 'nobody', { status_code: null, error: 'connection_failed' }],
  ['silence', 'hang', { status_code: null, error: 'timeout' }],
];

test.each(failures)(
  'a test with %s as answer is reported and logged as failed, and does not count toward deactivation',
  async (_what, answer, result) => {
    await using receiver = await startReceiver({
      answer: (_request, response) => {
        if (typeof answer === 'number')
          response.writeHead(answer, { location: 'https://example.com/' }).end();
      },
    });
    const webhooks = { ca: receiver.ca, allowCidrs: loopback };
    // Uses a short timeout only for the silent receiver, so that slow answers of others do not fail the test.
    await using app = await startApp({
      webhooks: answer === 'hang' ? { ...webhooks, timeoutMs: 500 } : webhooks,
    });
    const key = await app.seed.ownerToken();
    const { id } = await subscribe(app, key, receiver.url);
    if (answer === 'nobody') await receiver[Symbol.asyncDispose]();
    expect(await app.post(`${at}/${id}/test`, { key })).toEqual({
      status: 200,
      body: { ...result, duration_ms: expect.any(Number) },
    });
    const { status_code, error } = result as { status_code: number | null; error: string };
    expect(await app.get(`${at}/${id}/deliveries`, { key })).toMatchObject({
      body: {
        data: [
          { status: 'failed', attempt_count: 1, last_status_code: status_code, error, next_attempt_at: null },
        ],
      },
    });
    expect(await app.get(at, { key })).toMatchObject({
      body: { data: [{ consecutive_failures: 0, active: true }] },
    });
  },
);

test('a test checks the address again: a name that now resolves to a private address is not called', async () => {
  await using receiver = await startReceiver();
  const names: Record<string, string[]> = { 'hooks.example.com': ['93.184.215.14'] };
  await using app = await startApp({ webhooks: { ca: receiver.ca, lookup: resolving(names) } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, `https://hooks.example.com:${receiver.port}/hook`);
  for (const [addresses, error] of [
    [['127.0.0.1'], 'forbidden_address'],
    [[], 'dns_failure'],
  ] as const) {
    names['hooks.example.com'] = [...addresses];
    expect(await app.post(`${at}/${id}/test`, { key })).toMatchObject({
      status: 200,
      body: { status_code: null, error },
    });
  }
  expect(receiver.connections).toBe(0);
});

test('after SECRET_KEY changed a test returns and logs secret_unreadable, and sends nothing', async () => {
  await using receiver = await startReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: loopback } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, receiver.url);
  const sealed = createSecretBox('the key before', randomBytes).seal('a secret of mine', `any/${id}`);
  await app.deps.database.em.execute('update webhook_subscriptions set secret_sealed = ?', [sealed]);
  expect(await app.post(`${at}/${id}/test`, { key })).toEqual({
    status: 200,
    body: { status_code: null, error: 'secret_unreadable', duration_ms: 0 },
  });
  expect(await app.get(`${at}/${id}/deliveries`, { key })).toMatchObject({
    body: { data: [{ status: 'failed', last_status_code: null, error: 'secret_unreadable' }] },
  });
  expect(receiver.connections).toBe(0);
});

test('an inactive subscription can be tested', async () => {
  await using receiver = await startReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: loopback } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, receiver.url);
  await app.patch(`${at}/${id}`, { key, body: { active: false } });
  expect(await app.post(`${at}/${id}/test`, { key, body: { ignored: true } })).toMatchObject({
    status: 200,
    body: { status_code: 200, error: null },
  });
});

test('a test event is neither polled nor listed in the catalog', async () => {
  await using receiver = await startReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: loopback } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, receiver.url);
  await app.post(`${at}/${id}/test`, { key });
  const reader = await app.seed.key();
  expect((await app.get('/api/v1/webhooks/poll/test', { key: reader })).status).toBe(400);
  const [{ events }] = (await app.deps.database.em.execute('select count(*)::int as events from events')) as [
    { events: number },
  ];
  expect(events).toBe(0);
});

test('deliveries are paginated, newest first, with 100 by default', async () => {
  await using receiver = await startReceiver();
  await using app = await startApp({ webhooks: { ca: receiver.ca, allowCidrs: loopback } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, receiver.url);
  await subscribe(app, key, receiver.url);
  for (let n = 0; n < 5; n++) {
    app.clock.advance({ seconds: 1 });
    await app.post(`${at}/${id}/test`, { key });
  }
  const sent = receiver.requests.map(({ headers }) => headers['x-service-delivery']).toReversed();
  const page = async (query: string) => {
    const { body } = await app.get(`${at}/${id}/deliveries${query}`, { key });
    const { data, ...rest } = body as { data: { id: string; created: string }[] };
    return { ids: data.map((delivery) => delivery.id), ...rest };
  };
  expect(await page('')).toEqual({ ids: sent, page: 1, per_page: 100, total: 5 });
  expect(await page('?per_page=2')).toEqual({ ids: sent.slice(0, 2), page: 1, per_page: 2, total: 5 });
  expect(await page('?per_page=2&page=3')).toEqual({ ids: sent.slice(4), page: 3, per_page: 2, total: 5 });
  expect(await page('?page=2')).toEqual({ ids: [], page: 2, per_page: 100, total: 5 });
  for (const query of ['?page=0', '?per_page=0', '?per_page=101', '?page=x', '?page=1&page=2', '?page=']) {
    expect((await app.get(`${at}/${id}/deliveries${query}`, { key })).status, query).toBe(400);
  }
});

test('deliveries can be filtered by one or several statuses, and the total counts the matches', async () => {
  await using app = await startApp({ webhooks: { lookup: resolving({}) } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, 'https://hooks.example.com/');
  await app.deps.database.em.execute(
    `insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit, in_replay, created, updated)
     select site_id, 'delivery000000' || number, id, 'event000000000' || number, 'content.created', status, 6, 6, false, created, updated
     from webhook_subscriptions, unnest(array['failed', 'delivered', 'failed', 'cancelled']) with ordinality as stands (status, number)`,
  );
  const found = async (query: string) => {
    const { status, body } = await app.get(`${at}/${id}/deliveries${query}`, { key });
    const { data = [], total } = body as { data?: { status: string }[]; total?: number };
    return { status, stand: data.map((delivery) => delivery.status), total };
  };

  expect(await found('?status=failed')).toEqual({ status: 200, stand: ['failed', 'failed'], total: 2 });
  expect(await found('?status=failed&per_page=1')).toEqual({ status: 200, stand: ['failed'], total: 2 });
  expect(await found('?status=cancelled,delivered')).toEqual({
    status: 200,
    stand: ['cancelled', 'delivered'],
    total: 2,
  });
  expect(await found('?status=retrying')).toEqual({ status: 200, stand: [], total: 0 });
  expect((await found('?status=lost')).status).toBe(400);
});

test('a delivery that waits for its next attempt has its time, a running one does not', async () => {
  await using app = await startApp({ webhooks: { lookup: resolving({}) } });
  const key = await app.seed.ownerToken();
  const { id } = await subscribe(app, key, 'https://hooks.example.com/');
  await app.deps.database.em.execute(
    `insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit, in_replay, due_at, lease_until, created, updated)
     select site_id, 'delivery0000' || state, id, 'event00000' || state, 'content.created', 'retrying', 1, 6, false,
       '2026-01-31 10:00:00+00', case state when 'way' then timestamptz '2026-01-31 10:00:00+00' end, created, updated
     from webhook_subscriptions, unnest(array['way', 'ing']) as state`,
  );
  const { data } = (await app.get(`${at}/${id}/deliveries`, { key })).body as {
    data: { next_attempt_at: unknown }[];
  };
  expect(data.map(({ next_attempt_at }) => next_attempt_at)).toEqual([null, anyTimestamp]);
});
