/** Several server processes on one port, as with WEB_CONCURRENCY. */
import { expect, test } from 'vitest';
import { startApp, type TestApp, testSecretKey } from '../support/app.ts';
import { withPort } from '../support/delivery-stage.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/http.ts';
import { findFreePort, isRunning, startNode } from '../support/process.ts';
import { beginPost, openRaw } from '../support/raw-http.ts';
import { makeDataDir, ready, startEverything } from '../support/start-command.ts';
import { startProxy } from '../support/tcp-proxy.ts';

test('a killed process is replaced, and metrics cover all processes, including earlier ones', async () => {
  await using app = await startApp();
  const metricsPort = await findFreePort();
  await using server = await startProcesses(app, { METRICS_PORT: String(metricsPort) });
  const counted = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return /^http_requests_total\{method="GET",route="\/api\/v1\/posts",status="401"\} (\d+)$/m.exec(
      text,
    )?.[1];
  };
  const [victim = 0] = await server.askUntilSeen(2);
  expect(await counted()).toBe(String(server.asked()));

  process.kill(victim, 'SIGKILL');
  await server.says(/starting a replacement/);
  const seen = await server.askUntilSeen(3);

  expect(seen).toHaveLength(3);
  expect(await counted()).toBe(String(server.asked()));
  server.signal('SIGTERM');
  expect(await server.ended()).toMatchObject({ exitCode: 0 });
});

test('at SIGHUP the processes are replaced one by one without a failed request, on new and idle connections', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using server = await startProcesses(app);
  const before = await server.askUntilSeen(2);
  const slow = await beginPost(server.baseUrl, '/api/v1/posts', { key, body: { title: 'Slow' } });
  const call = createCaller(server.baseUrl);
  let rolled = false;
  const statuses = new Map<unknown, number>();
  const note = (status: unknown) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const onKept = async () => {
    while (!rolled) note((await call('GET', '/api/v1/posts', { key })).status);
  };
  const onNew = async () => {
    while (!rolled) {
      using connection = await openRaw(server.baseUrl);
      connection.send(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      note((await connection.replies(1))[0]?.status);
    }
  };
  const load = Promise.all([...Array.from({ length: 4 }, onKept), ...Array.from({ length: 4 }, onNew)]);

  server.signal('SIGHUP');
  await Promise.all([
    server.says(/all server processes restarted/).finally(() => {
      rolled = true;
    }),
    slow.finish().then((answer) => expect(answer).toContain('HTTP/1.1 201 Created')),
  ]);
  await load;

  expect([...statuses.keys()]).toEqual([200]);
  const after = await server.askUntilSeen(4);
  expect(after.slice(0, 2)).toEqual(before);
  for (const pid of before) expect(isRunning(pid)).toBe(false);
});

test('if the parent is killed, all processes finish their requests and exit', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using server = await startProcesses(app);
  const pids = await server.askUntilSeen(2);
  const slow = await beginPost(server.baseUrl, '/api/v1/posts', { key, body: { title: 'Orphaned' } });

  server.signal('SIGKILL');

  expect(await slow.finish()).toContain('HTTP/1.1 201 Created');
  await eventually(() => pids.every((pid) => !isRunning(pid)));
});

test('if a stop arrives while a process is being replaced, all exit normally', async () => {
  await using app = await startApp();
  await using proxy = await startProxy({ port: Number(new URL(app.databaseUrl).port) });
  const environment = { DATABASE_URL: withPort(app.databaseUrl, proxy.port) };
  await using server = await startProcesses(app, environment);
  const [victim = 0] = await server.askUntilSeen(2);
  const starting = proxy.holdRequest(/server_version_num/);
  process.kill(victim, 'SIGKILL');
  const held = await starting;

  server.signal('SIGTERM');
  await server.says(/"msg":"stopping"/);
  held.release();

  const { exitCode, output } = await server.ended();
  expect(exitCode).toBe(0);
  expect(output).not.toMatch(/unsettled|failed to start/);
});

test('a port in use is reported by the process that cannot start, and no process remains', async () => {
  await using app = await startApp();
  const { port } = new URL(app.baseUrl);
  await using server = startNode(['server/main.ts'], environmentOf(app, { PORT: port }));
  expect(await server.ended()).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining(`Port ${port} is already in use`),
  });
});

test('`pnpm start` runs several processes: one site, shared limits, and Ctrl-C ends everything', async () => {
  await using database = await createEmptyDatabase();
  await using running = await startEverything({
    dataDir: await makeDataDir(),
    environment: {
      DATABASE_URL: database.url,
      DEMO: 'off',
      WEB_CONCURRENCY: '2',
      RATE_LIMIT_NORMAL: '1/10',
    },
  });
  await running.says(ready);

  const call = createCaller(running.baseUrl);
  const answers = await Promise.all(Array.from({ length: 20 }, () => call('GET', '/api/v1/posts')));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array(10).fill(401),
    ...Array(10).fill(429),
  ]);
  expect(await database.query('select count(*)::integer as sites from sites')).toEqual([{ sites: 1 }]);
  running.signalGroup('SIGINT');
  expect(await running.ended()).toMatchObject({ exitCode: 0 });
  expect(running.output).not.toContain('starting a replacement');
});

const environmentOf = ({ databaseUrl }: TestApp, environment: Record<string, string>) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  SECRET_KEY: testSecretKey,
  WEB_CONCURRENCY: '2',
  RATE_LIMIT_NORMAL: 'off',
  ...environment,
});

/** Starts two server processes on one port. */
async function startProcesses(app: TestApp, environment: Record<string, string> = {}) {
  const port = await findFreePort();
  const server = startNode(['server/main.ts'], environmentOf(app, { PORT: String(port), ...environment }));
  await server.says(/"msg":"ready"/);
  const baseUrl = `http://127.0.0.1:${port}`;
  let requested = 0;
  /** Returns the IDs of the processes that answered such requests, in the order of their first answer. */
  const seen = () => [
    ...new Set(Array.from(server.output.matchAll(/"pid":(\d+),.*"status":401/g), ([, pid]) => Number(pid))),
  ];
  return Object.assign(server, {
    baseUrl,
    /** Number of requests that were sent to identify the processes. */
    asked: () => requested,
    /** Sends requests on new connections until a number of processes have answered. */
    async askUntilSeen(count: number) {
      return await eventually(async () => {
        using connection = await openRaw(baseUrl);
        connection.send('GET /api/v1/posts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
        const replies = await connection.replies(1);
        requested += replies.length;
        const pids = seen();
        return pids.length >= count && pids;
      });
    },
  });
}
