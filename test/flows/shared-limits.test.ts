/**
 * Limits that several server processes share, tested with real processes. `pnpm test:faults` makes a million requests.
 */
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { startApp, testSecretKey } from '../support/app.ts';
import { withPort } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/http.ts';
import { findFreePort, type NodeProcess, startNode } from '../support/process.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const long = process.env.FAULTS === 'long';

if (long) vi.setConfig({ testTimeout: 900_000 });

const processCount = 4;
const asks = long ? 1_000_000 : 40_000;
/** Much lower than the request rate, even on a slow machine, because unused capacity would look like a fault. */
const tier = { perMinute: 1_200, burst: 500 };
/** Concurrent requests of each process, as of a busy server. */
const atOnce = 50;
const subjects = ['0', '1', '2'];

test.for([
  ['under concurrent requests', 0],
  ['one of which is killed', 1],
] as const)(
  'four processes %s together admit no more than the limit, and at most 1 % less',
  async ([, killed]) => {
    await using app = await startApp();
    await using processes = new AsyncDisposableStack();
    const startedAt = Date.now();
    const askers = Array.from({ length: processCount }, () =>
      processes.use(startAsker(app.databaseUrl, asks / processCount)),
    );
    for (const victim of askers.slice(0, killed)) {
      await victim.says(/heard first at/);
      victim.signal('SIGKILL');
    }
    const others = askers.slice(killed);
    const ends = await Promise.all(
      others.map((caller) => caller.says(/asked last at (\d+), with (\d+) uncounted/)),
    );
    const elapsedMs = Date.now() - startedAt;

    expect(ends.map(([, , uncounted]) => uncounted)).toEqual(others.map(() => '0'));
    const begins = await Promise.all(others.map((caller) => caller.says(/heard first at (\d+)/)));
    const askedMs = Math.max(...ends.map(timestamp)) - Math.min(...begins.map(timestamp));
    const letThrough = subjects.map((subject) =>
      askers.reduce((sum, { output }) => sum + output.split(`let ${subject} through`).length - 1, 0),
    );
    for (const count of letThrough) {
      expect(count).toBeLessThanOrEqual(capacity(elapsedMs));
      // A killed process does not report the decisions that it was about to receive.
      expect(count + killed * atOnce).toBeGreaterThanOrEqual(Math.floor(capacity(askedMs) * 0.99));
    }
  },
);

const caller = fileURLToPath(new URL('../support/rate-limit-process.ts', import.meta.url));

/** Returns the number of requests that the tier admits in this time. */
const capacity = (ms: number) => tier.burst + Math.floor((ms * tier.perMinute) / 60_000);

const timestamp = ([, ms]: RegExpExecArray) => Number(ms);

function startAsker(databaseUrl: string, count: number): NodeProcess {
  return startNode([caller], {
    DATABASE_URL: databaseUrl,
    ASKS: String(count),
    AT_ONCE: String(atOnce),
    SUBJECTS: String(subjects.length),
    TIER: JSON.stringify(tier),
  });
}

test('two servers admit ten requests, not twenty, and three password attempts, not six', async () => {
  await using app = await startApp();
  // One per minute, so that no token is added during the test.
  const environment = { RATE_LIMIT_NORMAL: '1/10', RATE_LIMIT_STRICT: '1/3' };
  await using one = await startServer(app.databaseUrl, environment);
  await using other = await startServer(app.databaseUrl, environment);
  const calls = [one, other].map(({ baseUrl }) => createCaller(baseUrl));
  const statuses = async (
    times: number,
    request: (call: ReturnType<typeof createCaller>) => Promise<{ status: number }>,
  ) => {
    const answers = await Promise.all(
      calls.flatMap((call) => Array.from({ length: times }, () => request(call))),
    );
    return answers.map(({ status }) => status).toSorted();
  };

  expect(await statuses(10, (call) => call('GET', '/api/v1/posts'))).toEqual([
    ...Array(10).fill(401),
    ...Array(10).fill(429),
  ]);
  const body = { email: 'ada@example.com', password: 'wrong password' };
  expect(await statuses(3, (call) => call('POST', '/api/admin/session', { body }))).toEqual([
    ...Array(3).fill(401),
    ...Array(3).fill(429),
  ]);
});

test('two servers refuse sign-in to an address after ten wrong passwords in total, not ten each', async () => {
  await using app = await startApp();
  const environment = { RATE_LIMIT_STRICT: '600/600' };
  await using one = await startServer(app.databaseUrl, environment);
  await using other = await startServer(app.databaseUrl, environment);
  const body = { email: 'ada@example.com', password: 'wrong password' };
  const answers = await Promise.all(
    [one, other].flatMap(({ baseUrl }) =>
      Array.from({ length: 10 }, () => createCaller(baseUrl)('POST', '/api/admin/session', { body })),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(10).fill(401),
    ...Array(10).fill(429),
  ]);
});

test('while the database is unreachable all requests are admitted, with one log line and a metric; afterwards limits apply again', async () => {
  await using app = await startApp();
  await using proxy = await startProxy({ port: Number(new URL(app.databaseUrl).port) });
  const metricsPort = await findFreePort();
  await using server = await startServer(withPort(app.databaseUrl, proxy.port), {
    RATE_LIMIT_NORMAL: '1/2',
    METRICS_PORT: String(metricsPort),
  });
  const call = createCaller(server.baseUrl);
  const request = async () => (await call('GET', '/api/v1/nothing')).status;
  expect([await request(), await request(), await request()]).toEqual([404, 404, 429]);

  proxy.refuse();
  expect(await Promise.all(Array.from({ length: 5 }, request))).toEqual(Array(5).fill(404));
  expect(await request()).toBe(404);
  const answer = await call('GET', '/api/v1/nothing');
  expect(answer.headers.get('x-ratelimit-limit')).toBe('2');

  proxy.accept();
  await eventually(async () => (await request()) === 429);
  const uncounted = await eventually(async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return /^rate_limit_uncounted_total\{tier="normal"\} (\d+)$/m.exec(text);
  });
  expect(Number(uncounted[1])).toBeGreaterThanOrEqual(7);
  server.signal('SIGTERM');
  const { output } = await server.ended();
  expect(output.match(/database unavailable for rate limits/g)).toHaveLength(1);
  expect(output.match(/rate limits are enforced/g)).toHaveLength(1);
});

test('a connection that breaks while the database is reachable lets no request through uncounted', async () => {
  await using app = await startApp();
  await using server = await startServer(app.databaseUrl, { RATE_LIMIT_NORMAL: '1/2' });
  const call = createCaller(server.baseUrl);
  const request = async () => (await call('GET', '/api/v1/nothing')).status;
  expect([await request(), await request()]).toEqual([404, 404]);

  for (let breaks = 0; breaks < 10; breaks += 1) {
    const requested = Array.from({ length: 5 }, request);
    await app.deps.database.em.execute(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rate-limits' and datname = current_database()",
    );
    expect(await Promise.all(requested)).toEqual(Array(5).fill(429));
  }
});

test('a database that falls silent in the middle of a statement blocks no request permanently', async () => {
  await using app = await startApp();
  await using proxy = await startProxy({ port: Number(new URL(app.databaseUrl).port) });
  await using server = await startServer(withPort(app.databaseUrl, proxy.port), { RATE_LIMIT_NORMAL: '1/2' });
  const call = createCaller(server.baseUrl);
  const request = async () => (await call('GET', '/api/v1/nothing')).status;
  expect([await request(), await request()]).toEqual([404, 404]);

  const silent = proxy.holdRequest(/rate-limits-bucket/);
  expect(await Promise.all([request(), request(), request()])).toEqual([404, 404, 404]);
  (await silent).cut();
  await eventually(async () => (await request()) === 429);
});

async function startServer(databaseUrl: string, environment: Record<string, string>) {
  const port = await findFreePort();
  const server = startNode(['server/main.ts'], {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: String(port),
    ...environment,
  });
  await server.says(/"msg":"ready"/);
  return Object.assign(server, { baseUrl: `http://127.0.0.1:${port}` });
}
