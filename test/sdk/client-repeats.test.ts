import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createClient, isApiError } from '../../client/sdk/index.ts';
import { occasionToRepeat } from '../../client/sdk/repeat.ts';
import { realTime, wait } from '../../client/sdk/time.ts';
import { createTimedClient } from '../../client/sdk/timed-client.ts';
import { tiers } from '../../shared/contract/limits.ts';
import { startApp } from '../support/app.ts';
import { startGateway } from '../support/failing-gateway.ts';
import { createVirtualTime, failureOf, patientClient } from '../support/virtual-time.ts';

const limits = { normal: tiers.normal };

test('a finished wait between retries removes its listener from the abort signal', async () => {
  const { signal } = new AbortController();
  await wait(realTime, 0, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a call over the limit is repeated after the seconds that the service names, and not earlier', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 1 } } });
  const { client, called, time, startedAt } = await patientClient(app);
  await client.v1.skills.list.query();
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
  expect(called.length).toBe(3);
  expect(time.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  expect(time.now() - startedAt).toBeLessThan(2_000);
});

test('only the refused calls of a batch are repeated', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 2 } } });
  const { client, called } = await patientClient(app);
  await Promise.all([
    client.v1.skills.list.query(),
    client.v1.talks.list.query(),
    client.v1.education.list.query(),
    client.v1.experience.list.query(),
  ]);
  expect(called.slice(0, 4)).toEqual([
    'v1.skills.list',
    'v1.talks.list',
    'v1.education.list',
    'v1.experience.list',
  ]);
  expect(new Set(called.slice(4))).toEqual(new Set(['v1.education.list', 'v1.experience.list']));
});

test('sixty concurrent reads succeed within the default limit, in the order of the calls', async () => {
  await using app = await startApp({ limits });
  const { client, startedAt, time } = await patientClient(app);
  const finished: number[] = [];
  const calls = Array.from({ length: 60 }, (_, n) =>
    client.v1.skills.list.query().then(() => finished.push(n)),
  );
  await Promise.all(calls);
  expect(finished).toEqual(finished.toSorted((a, b) => a - b));
  expect(time.now() - startedAt).toBeLessThan(60_000);
});

test('four clients that share the default limit each read fifteen records, eight at a time', async () => {
  await using app = await startApp({ limits });
  const { time, fetch } = createVirtualTime(app.clock);
  const apiKey = await app.seed.key();
  const readAll = async () => {
    const client = createTimedClient(
      { baseUrl: app.baseUrl, apiKey, fetch, retries: 20, timeoutMs: 600_000 },
      time,
    );
    const left = Array(15).fill(null);
    const reader = async () => {
      while (left.pop() !== undefined) await client.v1.skills.list.query();
    };
    await Promise.all(Array.from({ length: 8 }, reader));
    return left.length;
  };
  expect(await Promise.all([readAll(), readAll(), readAll(), readAll()])).toEqual([0, 0, 0, 0]);
});

test('writes over the limit are repeated, and each is done once', async () => {
  await using app = await startApp({ limits });
  const { client } = await patientClient(app);
  const names = Array.from({ length: 15 }, (_, n) => `Skill ${n}`);
  const created = await Promise.all(names.map((name) => client.v1.skills.create.mutate({ name })));
  expect(new Set(created.map(({ id }) => id)).size).toBe(names.length);
  app.clock.advance({ minutes: 1 });
  const { data } = await client.v1.skills.list.query();
  expect(data.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test('the client has at most forty of a hundred concurrent writes in flight, and completes all', async () => {
  await using app = await startApp();
  let underWay = 0;
  let max = 0;
  const client = createClient({
    baseUrl: app.baseUrl,
    apiKey: await app.seed.key(),
    fetch(...given) {
      max = Math.max(max, ++underWay);
      return fetch(...given).finally(() => underWay--);
    },
  });
  const names = Array.from({ length: 100 }, (_, n) => `Skill ${n}`);
  await Promise.all(names.map((name) => client.v1.skills.create.mutate({ name })));
  expect(max).toBe(40);
  const { data } = await client.v1.skills.list.query();
  expect(data.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test('a rate-limit error reaches the caller with the seconds to wait when no retries are left', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 1 } } });
  const { client, called } = await patientClient(app, { retries: 0 });
  await client.v1.skills.list.query();
  const refusal = await failureOf(client.v1.skills.list.query());
  expect(isApiError(refusal) && refusal.data).toEqual({
    code: 'rate_limited',
    httpStatus: 429,
    retryAfter: 1,
    requestId: expect.any(String),
  });
  expect(called.length).toBe(2);
});

test('a client with waitsForLimits off fails immediately at a limit, and still repeats lost calls', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 1 } } });
  await using gateway = await startGateway(app.baseUrl);
  const { client, time, startedAt } = await patientClient(app, {
    baseUrl: gateway.baseUrl,
    waitsForLimits: false,
  });
  gateway.next('cut before');
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
  const waited = time.now();
  expect(waited).toBeGreaterThan(startedAt);
  const refusals = await Promise.all([1, 2].map(() => failureOf(client.v1.skills.list.query())));
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ data: { code: 'rate_limited', retryAfter: 1 } });
  // A later call does not wait first either.
  expect(await failureOf(client.v1.skills.list.query())).toMatchObject({ data: { code: 'rate_limited' } });
  expect(time.now()).toBe(waited);
});

test("a rate-limit error reaches the caller immediately if the wait would exceed the call's timeout, and no timer remains", async () => {
  await using app = await startApp({ limits: { normal: 'off', poll: tiers.poll } });
  const { client, time, startedAt, alarms } = await patientClient(app, { timeoutMs: 30_000 });
  const poll = () => client.v1.events.poll.query({ event: 'content.created' });
  for (let n = 0; n < tiers.poll.perMinute; n++) await poll();
  expect(await failureOf(poll())).toMatchObject({ data: { code: 'rate_limited', retryAfter: 60 } });
  expect(time.now()).toBe(startedAt);
  expect(alarms()).toBe(0);
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
});

test.each([
  { status: 502 },
  { status: 503, retryAfter: 3 },
  { status: 504 },
  'cut before',
  'cut after',
] as const)('a read that meets %j is repeated', async (fate) => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  const { client, time, startedAt } = await patientClient(app, { baseUrl: gateway.baseUrl });
  gateway.next(fate, fate);
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
  expect(gateway.requests).toEqual(Array(3).fill('GET /trpc/v1.skills.list'));
  const waitedS = (time.now() - startedAt) / 1_000;
  expect(waitedS).toBeGreaterThanOrEqual(typeof fate === 'object' && 'retryAfter' in fate ? 6 : 1.5);
});

test.each([{ status: 502 }, { status: 503, retryAfter: 1 }, { status: 504 }, 'cut before'] as const)(
  'a write that meets %j is repeated with the same idempotency key, and done once',
  async (fate) => {
    await using app = await startApp();
    await using gateway = await startGateway(app.baseUrl);
    const { client } = await patientClient(app, { baseUrl: gateway.baseUrl });
    gateway.next(fate, fate);
    const { id } = await client.v1.skills.create.mutate({ name: 'SQL' });
    expect(gateway.requests).toEqual(Array(3).fill('POST /trpc/v1.skills.create'));
    expect(gateway.keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{32}$/)));
    expect(new Set(gateway.keys).size).toBe(1);
    expect((await client.v1.skills.list.query()).data).toEqual([
      expect.objectContaining({ id, name: 'SQL' }),
    ]);
  },
);

test.each([
  ['its own error as JSON', { status: 502, json: '{"message":"Bad gateway"}' }],
  ['an error as JSON that resembles the service’s', { status: 503, json: '{"error":{"code":503}}' }],
  ['a truncated response with a valid status', { status: 200, json: '[{"result":{"data":{"js' }],
])('a call to which a gateway returns %s is repeated', async (_, fate) => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  const { client } = await patientClient(app, { baseUrl: gateway.baseUrl });
  gateway.next(fate, fate);
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
  expect(gateway.requests.length).toBe(3);
});

test('a call without an answer is sent again after a third of its timeout', async () => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  const virtual = createVirtualTime(app.clock);
  gateway.next('no answer');
  const client = createTimedClient(
    {
      baseUrl: gateway.baseUrl,
      apiKey: await app.seed.key(),
      // Virtual time does not advance while a request through its own `fetch` is in flight.
      fetch: (...given) => (gateway.requests.length === 0 ? fetch(...given) : virtual.fetch(...given)),
    },
    virtual.time,
  );
  const startedAt = virtual.time.now();
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
  const waitedS = (virtual.time.now() - startedAt) / 1_000;
  expect(waitedS).toBeGreaterThan(20);
  expect(waitedS).toBeLessThan(22);
});

test('a write that fails with database_busy is repeated after the seconds that the service names', () => {
  const data = { code: 'database_busy', httpStatus: 503, retryAfter: 1 };
  expect(occasionToRepeat(Object.assign(new Error('too busy'), { data }))).toEqual({
    isRefusal: false,
    seconds: 1,
  });
});

test.each(['webhooks_not_provisioned', 'mail_not_configured'])(
  'a call that fails because the service is not set up is not repeated: %s',
  (code) => {
    const data = { code, httpStatus: 503 };
    expect(occasionToRepeat(Object.assign(new Error('not set up'), { data }))).toBeNull();
  },
);

test('errors that a repetition cannot change are not repeated', async () => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  const { client } = await patientClient(app, { baseUrl: gateway.baseUrl });
  await failureOf(client.v1.posts.get.query({ slug: 'nothing-here' }));
  expect(gateway.requests.length).toBe(1);
  gateway.next({ status: 500 }, { status: 200 });
  expect(await failureOf(client.v1.skills.list.query())).toMatchObject({ cause: { status: 500 } });
  expect(await failureOf(client.v1.skills.list.query())).toMatchObject({ cause: { status: 200 } });
  expect(gateway.requests.length).toBe(3);
});

test('a call fails with its last error when no retries are left', async () => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  const { client } = await patientClient(app, { baseUrl: gateway.baseUrl, retries: 2 });
  gateway.next(...Array(3).fill({ status: 503 }));
  expect(await failureOf(client.v1.skills.list.query())).toMatchObject({ cause: { status: 503 } });
  expect(gateway.requests.length).toBe(3);
});

test('a call without an answer fails at its timeout', async () => {
  await using app = await startApp();
  await using gateway = await startGateway(app.baseUrl);
  gateway.next('no answer');
  const client = createClient({ baseUrl: gateway.baseUrl, timeoutMs: 50 });
  expect(await failureOf(client.v1.skills.list.query())).toMatchObject({ cause: { name: 'TimeoutError' } });
});

test('an aborted call is not repeated, whether it waits, is queued or has not started', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 1 } } });
  const { client, called } = await patientClient(app);
  await client.v1.skills.list.query();
  const reason = new Error('the reader left');
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = ['first', 'second'].map(() =>
    failureOf(client.v1.skills.list.query(undefined, { signal })),
  );
  controller.abort(reason);
  expect(await Promise.all(waiting)).toEqual([
    expect.objectContaining({ cause: reason }),
    expect.objectContaining({ cause: reason }),
  ]);
  const before = called.length;
  expect(await failureOf(client.v1.skills.list.query(undefined, { signal }))).toMatchObject({
    cause: reason,
  });
  expect(called.length).toBe(before);
  expect(await client.v1.skills.list.query()).toEqual({ data: [] });
});
