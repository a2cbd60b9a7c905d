import pg from 'pg';
import { expect, test } from 'vitest';
import { readableAddress } from '../../shared/db/schema.ts';
import { startApp, type TestApp, testSecretKey } from '../support/app.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { keepFile } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { follow } from '../support/follower.ts';
import { createCaller } from '../support/http.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { readReadiness } from '../support/readiness.ts';
import { createClients, logIsWhole, readLog, shownOf, titleOf } from '../support/registers.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';
import { type ReplicatedServer, startPrimary } from '../support/standby.ts';
import { timeLimits } from '../support/time-limits.ts';
import { createCertificate } from '../support/tls-receiver.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

const rounds = 30;
const strikeAt = 10;
const slugs = ['first', 'second'];
const waiting = `select from pg_stat_activity where wait_event_type = 'Lock'`;

/**
 * Failures of the primary, after which the standby is promoted manually. An operator does so once the primary is dead
 * or isolated.
 */
const strikes = {
  async 'is killed'(primary: ReplicatedServer, standby: ReplicatedServer) {
    await primary.kill();
    await standby.promote();
    return () => {};
  },
  // The old primary resumes and still considers itself the primary.
  async freezes(primary: ReplicatedServer, standby: ReplicatedServer) {
    const thaw = await primary.freeze();
    await standby.promote();
    return thaw;
  },
};

test.skipIf(process.platform !== 'linux').for(Object.keys(strikes) as (keyof typeof strikes)[])(
  'while the primary %s and a standby takes over, no confirmed write is lost or repeated, and no read is stale',
  async (name) => {
    const seed = newSeed();
    await using stack = new AsyncDisposableStack();
    const primary = stack.use(await startPrimary());
    const standby = stack.use(await primary.startStandby('standby'));
    const serverUrl = `${primary.url.replace(/\/postgres$/, '')},127.0.0.1:${standby.port}/postgres`;
    const app = stack.use(await startApp({ serverUrl: readableAddress(serverUrl) }));
    app.clock.catchUp();
    const site = await startSite(app, stack);
    const { key, server } = site;
    const clients = createClients({
      ...{ key, random: createRandom(seed), baseUrls: () => [server.baseUrl] },
      retries: { endWithinMs: timeLimits.wait, pauseMs: 20 },
    });
    expect(await tryToSignIn(server.baseUrl, maxTries - 1)).toEqual(Array(maxTries - 1).fill(401));
    expect(await readReadiness(server.baseUrl)).toMatchObject({ body: { status: 'ready' } });
    const held = await app.deps.database.holdSite('a site', 0);

    const ids = new Map<string, string>();
    for (const slug of slugs) {
      const { body } = await app.post('/api/v1/posts', { key, body: { slug, title: titleOf(slug, '0') } });
      ids.set(slug, (body as { id: string }).id);
    }
    await using follower = await follow(server.baseUrl, key);
    let version = 0;
    const update = (slug: string, isRepeated: boolean) => {
      version += 1;
      const body = { title: titleOf(slug, String(version)) };
      const path = `/api/v1/posts/${ids.get(slug)}`;
      return clients.write({ name: slug, wrote: String(version), method: 'PATCH', path, body, isRepeated });
    };
    const readers = [...slugs.map((slug) => `/api/v1/posts/${slug}`), '/api/v1/posts', '/posts'].map((path) =>
      clients.createReader({
        path,
        shows: slugs.filter((slug) => path.endsWith('posts') || path.endsWith(slug)),
      }),
    );
    const { pathname } = new URL(app.databaseUrl.replace(/,127\.0\.0\.1:\d+/, ''));
    const holder = new pg.Client({ connectionString: primary.url.replace(/\/postgres$/, pathname) });
    await holder.connect();
    // Its connection breaks in this test.
    holder.on('error', () => {});
    stack.defer(() => void holder.end());
    let struck: Promise<() => void> | undefined;
    // Processes that use the database could not stop before.
    stack.defer(async () => (await struck)?.());
    let isOver = false;
    // A fast machine would finish all rounds before the failure has an effect.
    for (let round = 1; round <= rounds || !isOver; round++) {
      if (round === strikeAt)
        await holder.query(`begin; select from posts where slug = '${slugs[0]}' for update`);
      const writing = slugs.flatMap((slug) => [update(slug, true), update(slug, round % 2 === 0)]);
      const reading = readers.flatMap((read) => [read(), read()]);
      if (round === strikeAt) {
        // A write is in flight at the failure, so its response is lost.
        await eventually(async () => (await primary.query(waiting)).length > 0);
        struck = strikes[name](primary, standby).finally(() => {
          isOver = true;
        });
      }
      await Promise.all([...writing, ...reading]);
    }
    (await struck)?.();

    await logIsWhole(pathname.slice(1), standby.query);
    const log = (await readLog(clients.ask)).map(({ title }) => title);
    expect(new Set(log).size).toBe(log.length);
    for (const slug of slugs) {
      const own = log.filter((title) => title.startsWith(slug)).map((title) => shownOf(slug, title));
      expect([seed, slug, clients.contradictionOf(slug, '0', own)]).toEqual([seed, slug, null]);
    }
    expect(clients.counted.lost).toBeGreaterThan(0);
    await eventually(() => follower.titles().length >= log.length);
    expect(follower.titles()).toEqual(log);
    await eventually(() => new Set(site.acknowledged()).size >= log.length).catch((cause) => {
      const missing = log.filter((title) => !site.acknowledged().includes(title));
      throw new Error(`not delivered: ${missing}; log of the worker:\n${site.workerLog()}`, { cause });
    });
    expect(new Set(site.acknowledged())).toEqual(new Set(log));
    // Earlier tries of this address count, even though the table of limits was emptied. One more is allowed per minute.
    const tries = await tryToSignIn(server.baseUrl, maxTries);
    expect([tries[0], tries.at(-1)]).toEqual([401, 429]);
    await using again = await app.deps.database.holdSite('a site', 0);
    expect([held?.lost.aborted, again?.lost.aborted]).toEqual([true, false]);
    expect(await readReadiness(server.baseUrl)).toMatchObject({
      status: 200,
      body: { status: 'ready', degraded: [{ what: 'standby' }] },
    });
  },
);

test('a write whose wait for the standby was canceled is not confirmed', async () => {
  await using primary = await startPrimary();
  await using standby = await primary.startStandby('standby');
  await using app = await startApp({ serverUrl: primary.url });
  const key = await app.seed.key();
  const write = (title: string, headers = {}) => app.post('/api/v1/posts', { key, headers, body: { title } });
  expect(await write('Before')).toMatchObject({ status: 201 });
  const resume = () => standby.query('select pg_wal_replay_resume()');
  // Disposing of the servers would block while commits wait.
  await using _going = { [Symbol.asyncDispose]: async () => void (await resume()) };
  await standby.query('select pg_wal_replay_pause()');
  /** Cancels the wait for the standby repeatedly, as an operator may do, until the request is answered. */
  async function statusOfEnded(requested: ReturnType<typeof write>) {
    let isAnswered = false;
    const answer = requested.finally(() => {
      isAnswered = true;
    });
    await eventually(async () => {
      await primary.query("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
      return isAnswered;
    });
    return (await answer).status;
  }
  expect(await statusOfEnded(write('Alone'))).toBe(500);
  const once = { 'idempotency-key': 'once' };
  expect(await statusOfEnded(write('With an API key', once))).toBe(503);
  await resume();
  expect(await write('With an API key', once)).toMatchObject({ status: 201 });
});

/**
 * Maximum number of sign-in tries in a row from one address. The server allows one more per minute, so a used quota
 * stays used during the test.
 */
const maxTries = 9;

/** Tries to sign in with unknown addresses. Returns the status of each try. */
async function tryToSignIn(baseUrl: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) {
    const body = { email: `${n}@example.com`, password: 'wrong password' };
    const { status } = await createCaller(baseUrl)('POST', '/api/admin/session', { body });
    statuses.push(status);
  }
  return statuses;
}

/** Starts a server, a worker, and a receiver of a site's webhooks. */
async function startSite(app: TestApp, stack: AsyncDisposableStack) {
  const certificate = await createCertificate();
  const receiver = stack.use(await startCountingReceiver(certificate));
  const hosts = { ...webhookHosts, NODE_EXTRA_CA_CERTS: await keepFile(stack, certificate.cert) };
  const key = await app.seed.key();
  const [server, worker] = await Promise.all([
    startServerProcess(app.databaseUrl, { ...withoutLimits, ...hosts, RATE_LIMIT_STRICT: `1/${maxTries}` }),
    startWorkerProcess({ DATABASE_URL: app.databaseUrl, SECRET_KEY: testSecretKey, ...hosts }).then(
      (started) => stack.use(started),
    ),
  ]);
  stack.use(server);
  const body = { url: receiver.url, events: ['content.updated'] };
  const token = await app.seed.ownerToken();
  const { status } = await createCaller(server.baseUrl)('POST', '/api/admin/webhooks', { key: token, body });
  expect(status).toBe(201);
  return {
    key,
    server,
    workerLog: () => worker.lines.slice(-100).join('\n'),
    acknowledged: () =>
      receiver.arrivals.filter((arrival) => arrival.status === 200).map(({ title }) => title),
  };
}

const webhookHosts = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  // Attempts that were in flight during the failover are repeated after these delays.
  WEBHOOK_TIMEOUT_MS: '10000',
  WEBHOOK_RETRY_SECONDS: '0.2,1,4,15,40',
};
