import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { resolving } from '../support/fixed-dns.ts';
import { startFollower } from '../support/follower.ts';
import { readReadiness } from '../support/readiness.ts';

test('requests are counted by method, route template and status, so unknown paths add no series', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics });
  const key = await app.seed.key();
  const paths = [
    '/api/v1/posts/a',
    '/api/v1/posts/b?x=1',
    '/api/v1/nothing',
    '/api/v1/nothing/else',
    '/api/v1/posts',
  ];
  for (const path of paths) await app.get(path, { key });
  await app.get('/api/v1/posts');
  const counter = await metrics.getSingleMetric('http_requests_total')?.get();
  expect(
    counter?.values.map(({ labels, value }) => [labels.method, labels.route, labels.status, value]),
  ).toEqual([
    ['GET', '/api/v1/posts/:slug', 404, 2],
    ['GET', 'unknown', 404, 2],
    ['GET', '/api/v1/posts', 200, 1],
    ['GET', '/api/v1/posts', 401, 1],
  ]);
  const text = await metrics.metrics();
  expect(text).toContain(
    'http_request_duration_seconds_count{method="GET",route="/api/v1/posts",status="200"} 1',
  );
});

test('RPC calls, rate limit refusals and response cache lookups are counted', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics, limits: { normal: { perMinute: 1, burst: 4 } } });
  const key = await app.seed.key();
  const batch = 'v1.posts.list,v1.posts.get,v1.no.such';
  await app.get(`/trpc/${batch}?batch=1&input=${encodeURIComponent('{"1":{"json":{"slug":"none"}}}')}`, {
    key,
  });
  await app.get('/trpc/v1.posts.list', { key });
  await app.get('/trpc/v1.posts.list', { key });
  const valuesOf = async (name: string) =>
    (await metrics.getSingleMetric(name)?.get())?.values.map(({ labels, value }) => [
      ...Object.values(labels),
      value,
    ]);
  expect((await valuesOf('calls_total'))?.toSorted()).toEqual([
    ['v1.posts.get', 'not_found', 1],
    ['v1.posts.list', 'ok', 2],
  ]);
  expect(await valuesOf('rate_limit_refusals_total')).toEqual([['normal', 1]]);
  expect(await valuesOf('response_cache_lookups_total')).toEqual([
    ['miss', 2],
    ['hit', 1],
  ]);
});

test('/metrics shows the delivery queue of the worker, measured at most every five seconds', async () => {
  const metrics = new Registry();
  await using app = await startApp({ webhooks: { lookup: resolving({}) }, metrics });
  const queue = async () => {
    const text = await metrics.metrics();
    const [depth, oldest, requested] = ['depth', 'oldest_due_seconds', 'asked'].map((name) =>
      Number(new RegExp(`^webhook_queue_${name} (.*)$`, 'm').exec(text)?.[1]),
    );
    return { depth, oldestMinutes: Math.floor((oldest ?? Number.NaN) / 60), asked: requested };
  };
  const idle = { depth: 0, oldestMinutes: 0, asked: 0 };
  expect(await queue()).toEqual(idle);
  const body = { url: 'https://hooks.example.com/', events: ['content.created'] };
  await app.post('/api/admin/webhooks', { key: await app.seed.ownerToken(), body });
  const key = await app.seed.key();
  for (const title of ['one', 'two']) await app.post('/api/v1/posts', { key, body: { title } });
  await app.deps.database.em.execute(`
    update events set occurred_at = now() - interval '5 minutes' where body like '%"one"%';
    insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit, in_replay, due_at, created, updated)
    select site_id, 'delivery000' || n, id, 'event0000' || n, 'content.created', 'retrying', 1, 6, false,
      now() + n * interval '1 hour', created, updated
    from webhook_subscriptions, unnest(array[-1, 1, 2]) as n;
    insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit, in_replay, asked_at, created, updated)
    select site_id, 'replayed000' || n, id, 'event1000' || n, 'content.created', 'pending', 0, 6, true, now(), created, updated
    from webhook_subscriptions, generate_series(1, 4) as n`);
  app.clock.advance({ seconds: 4 });
  expect(await queue()).toEqual(idle);
  app.clock.advance({ seconds: 1 });
  expect(await queue()).toEqual({ depth: 3, oldestMinutes: 60, asked: 4 });
});

test('/metrics shows the number of event followers', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics });
  const shown = async () => /^event_followers (.*)$/m.exec(await metrics.metrics())?.[1];
  expect(await shown()).toBe('0');
  const follower = await startFollower(app.baseUrl, { key: await app.seed.key() });
  await eventually(async () => (await shown()) === '1');
  await follower[Symbol.asyncDispose]();
  await eventually(async () => (await shown()) === '0');
});

test('/metrics shows busy and idle database connections, and the number of queries that wait for one', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics });
  const { em } = app.deps.database;
  const shown = async () => {
    const text = await metrics.metrics();
    return ['connections{state="busy"}', 'connections{state="idle"}', 'queries_waiting'].map((name) =>
      Number(text.split(`\ndatabase_${name} `)[1]?.split('\n')[0]),
    );
  };
  await em.execute('select 1');
  expect(await shown()).toEqual([0, 1, 0]);
  const { promise: enough, resolve: end } = Promise.withResolvers<void>();
  const max = 5;
  const holding = Array.from({ length: max + 2 }, () =>
    em.fork().transactional(async (transaction) => {
      await transaction.execute('select 1');
      await enough;
    }),
  );
  await eventually(async () => (await shown()).join() === `${max},0,2`);
  end();
  await Promise.all(holding);
  expect(await shown()).toEqual([0, max, 0]);
});

test('/readyz does not report the delivery queue', async () => {
  await using app = await startApp();
  expect(await readReadiness(app)).toEqual({ status: 200, body: { status: 'ready' } });
});
