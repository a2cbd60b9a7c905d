import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { updateKey } from '../../server/accounts/api-keys/store.ts';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { errors } from '../../shared/contract/errors.ts';
import { following, tiers } from '../../shared/contract/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { type EventFollower, followPath, startFollower } from '../support/follower.ts';

// Followers of a site: their access, their number, and the end of their connections.

const rpcFailure = (status: number, code: string, message: unknown = expect.any(String)) => ({
  status,
  body: {
    error: {
      json: {
        code: expect.any(Number),
        message,
        data: { code, httpStatus: status, path: 'v1.events.follow' },
      },
    },
  },
});

/** Starts a second server on the same database, in this process. */
async function startSecond(app: TestApp) {
  const server = buildApp(createDeps(app.deps));
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  return { baseUrl, [Symbol.asyncDispose]: () => server.close() };
}

const positions = async (app: TestApp) => {
  const rows = await app.deps.database.em
    .fork()
    .execute<{ count: number }[]>('select count(*)::integer as count from event_followers');
  return rows[0]?.count;
};

test('a refused request to follow has the status and JSON body of a refused call', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const at = followPath();
  expect(await app.get(at)).toEqual(rpcFailure(401, 'unauthorized'));
  const refused = {
    key_disabled: await app.seed.key({ active: false }),
    key_expired: await app.seed.key({ expiry: app.clock.now() }),
    insufficient_scope: await app.seed.key({ scopes: ['write', 'webhooks', 'read:content'] }),
    origin_not_allowed: await app.seed.key({ allowed_origins: ['https://ada.example.com'] }),
  };
  for (const [code, broken] of Object.entries(refused))
    expect(await app.get(at, { key: broken })).toEqual(rpcFailure(403, code));
  const free = await app.seed.key({ siteId: await app.seed.site({ plan: 'free' }) });
  expect(await app.get(at, { key: free })).toEqual(rpcFailure(403, 'insufficient_scope'));
  await app.seed.site({ custom_domain: 'another.example.com' });
  expect(await app.atHost('another.example.com', 'GET', at, { key })).toEqual(
    rpcFailure(401, 'unauthorized'),
  );
  expect(await positions(app)).toBe(0);
});

test('unknown events and invalid positions are refused instead of restarting from the beginning', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const wrong = [
    { events: ['content.read'] },
    { events: [] },
    { after: 'x' },
    { lastEventId: 'x' },
    { after: Buffer.from('["content.created","oldest_first","yesterday","0"]').toString('base64url') },
  ];
  for (const input of wrong)
    expect(await app.get(followPath(input), { key })).toEqual(rpcFailure(400, 'invalid_request'));
  expect(await app.get(`${followPath()}?input={`, { key })).toEqual(rpcFailure(400, 'invalid_request'));
  const refused = await app.get(followPath({ after: 'x' }), { key });
  expect(refused).toEqual(
    rpcFailure(
      400,
      'invalid_request',
      'after: must be the id of a followed event, or next_cursor of polling',
    ),
  );
  for (const method of ['POST', 'HEAD', 'PUT']) {
    const { status } = await app.call(method, '/trpc/v1.events.follow', {
      key,
      ...(method === 'POST' ? { body: { json: {} } } : {}),
    });
    expect([method, status]).toEqual([method, 404]);
  }
  const batch = await app.get('/trpc/v1.events.follow?batch=1', { key });
  expect(batch).toMatchObject({
    status: 400,
    body: [{ error: { json: { data: { code: 'invalid_request' } } } }],
  });
  expect(await positions(app)).toBe(0);
});

test('the start of following counts as one call, and its response has the rate limit headers', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 2 } } });
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  expect(follower.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
  await using _second = await startFollower(app.baseUrl, { key });
  const refused = await app.get(followPath(), { key });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(tiers.normal.burst).toBe(10);
});

test('a site has at most a hundred followers over all processes, and one that leaves makes room for another', async () => {
  await using app = await startApp();
  await using second = await startSecond(app);
  const key = await app.seed.key();
  const foreign = await app.seed.key({ siteId: await app.seed.site() });
  await using stack = new AsyncDisposableStack();
  const attempts = Array.from({ length: following.perSite + 1 }, async (_, n) =>
    stack.use(await startFollower(n % 2 === 0 ? app.baseUrl : second.baseUrl, { key })),
  );
  const outcomes = await Promise.allSettled(attempts);
  const followers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(followers).toHaveLength(following.perSite);
  const full = rpcFailure(429, 'too_many_followers', errors.too_many_followers.message);
  expect(await app.get(followPath(), { key })).toEqual(full);
  await using _other = await startFollower(app.baseUrl, { key: foreign });
  await followers[7]?.[Symbol.asyncDispose]();
  await eventually(async () => (await positions(app)) === following.perSite);
  await using _next = await startFollower(app.baseUrl, { key });
  expect(await app.get(followPath(), { key })).toEqual(full);
});

test('the follower slots of a process that died become free after their lease', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const site = await app.seed.ownSite();
  const takeAll = (expires: string) =>
    app.deps.database.em.fork().execute(
      `insert into event_followers (site_id, place, holder, expires_at)
       select ?, n, 'nobody', now() + ?::interval from generate_series(1, ${following.perSite}) as n
       on conflict (site_id, place) do update set expires_at = excluded.expires_at`,
      [site, expires],
    );
  await takeAll('20 seconds');
  expect(await app.get(followPath(), { key })).toEqual(rpcFailure(429, 'too_many_followers'));
  await takeAll('-1 second');
  await using _follower = await startFollower(app.baseUrl, { key });
});

test('a process renews the leases of its followers, and disconnects a follower whose slot was lost', async () => {
  await using app = await startApp({ following: { checkMs: 20, leaseMs: 1_000 } });
  const key = await app.seed.key();
  await using kept = await startFollower(app.baseUrl, { key });
  await using lost = await startFollower(app.baseUrl, { key });
  const soonest = async () => {
    const rows = await app.deps.database.em
      .fork()
      .execute<{ at: Date }[]>('select min(expires_at) as at from event_followers');
    return Number(rows[0]?.at);
  };
  const before = await soonest();
  await eventually(async () => (await soonest()) > before);
  // Simulates a crash of PostgreSQL, which loses the places. No other process has taken them.
  await app.deps.database.em.fork().execute('delete from event_followers');
  await eventually(async () => (await soonest()) > before);
  await app.deps.database.em.fork().execute("update event_followers set holder = 'another'");
  expect([await kept.ended(), await lost.ended()]).toEqual(['whole', 'whole']);
  expect(kept.frames.map(({ event }) => event)).toEqual(['connected']);
});

const endings = {
  key_disabled: (app, id) => updateKey({ deps: app.deps, siteId: id.site }, { id: id.key, active: false }),
  unauthorized: (app, id) =>
    app.deps.database.em.fork().execute('delete from api_keys where id = ?', [id.key]),
  key_expired: async (app) => app.clock.advance({ hours: 2 }),
  insufficient_scope: (app, id) =>
    updateKey({ deps: app.deps, siteId: id.site }, { id: id.key, scopes: ['write'] }),
  origin_not_allowed: (app, id) =>
    updateKey(
      { deps: app.deps, siteId: id.site },
      { id: id.key, allowed_origins: ['https://ada.example.com'] },
    ),
} satisfies Record<string, (app: TestApp, id: { site: string; key: string }) => Promise<unknown>>;

test.for(Object.keys(endings))(
  'a follower whose key is refused is disconnected with the error %s',
  async (code) => {
    await using app = await startApp({ following: { checkMs: 20 } });
    const key = await app.seed.key({ expiry: app.clock.inMinutes(60) });
    await using follower = await startFollower(app.baseUrl, { key });
    const site = await app.seed.ownSite();
    const [{ id = '' } = {}] = await app.deps.database.em
      .fork()
      .execute<{ id: string }[]>('select id from api_keys where site_id = ?', [site]);
    await endings[code as keyof typeof endings](app, { site, key: id });
    expect(await follower.ended()).toBe('whole');
    const last = follower.frames.at(-1);
    expect(last?.event).toBe('serialized-error');
    expect(JSON.parse(String(last?.data)).json.data).toMatchObject({ code, path: 'v1.events.follow' });
    await eventually(async () => (await positions(app)) === 0);
  },
);

test('a follower stays connected when its key is rotated', async () => {
  await using app = await startApp({ following: { checkMs: 20 } });
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  const token = await app.seed.ownerToken();
  const { data } = (await app.get('/api/admin/api-keys', { key: token })).body as { data: { id: string }[] };
  const rotated = await app.post(`/api/admin/api-keys/${data[0]?.id}/rotate`, { key: token });
  const fresh = (rotated.body as { key: string }).key;
  await app.post('/api/v1/posts', { key: fresh, body: { title: 'A' } });
  await follower.told(1);
  app.clock.advance({ hours: 24 });
  expect(await follower.ended()).toBe('whole');
  expect(follower.frames.at(-1)?.data).toContain('unauthorized');
});

/** Logs `count` events of about one kilobyte. */
const logMany = (app: TestApp, siteId: string, count: number) =>
  app.deps.database.em.fork().execute(
    `insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
     select ?, substr(md5(random()::text), 1, 15), 'content.created',
       format('{"event":"content.created","timestamp":"2026-01-31T09:05:00.123Z","data":{"id":"x","collection":"posts","title":"%s","slug":"x"}}',
         lpad(n::text, 1000, '0')), clock_timestamp(), false
     from generate_series(1, ${count}) as n`,
    [siteId],
  );

test('a follower that stops reading is disconnected, and its slot becomes free', async () => {
  await using app = await startApp({ timeouts: { answer: { stalledMs: 300, minBytesPerSecond: 4096 } } });
  const key = await app.seed.key();
  const { port } = new URL(app.baseUrl);
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(`GET ${followPath()} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  expect(await positions(app)).toBe(1);
  const site = await app.seed.ownSite();
  for (let n = 0; n < 20; n++) await logMany(app, site, 1_000);
  await eventually(async () => (await positions(app)) === 0);
  socket.destroy();
});

test('a follower that is slower than the events receives all of them in order', async () => {
  await using app = await startApp({ following: { waitingEvents: 3, tickMs: 10 } });
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  const site = await app.seed.ownSite();
  for (let n = 0; n < 10; n++) await logMany(app, site, 300);
  await follower.told(3_000);
  const once = Array.from({ length: 300 }, (_, n) => String(n + 1).padStart(1_000, '0'));
  expect(follower.titles()).toEqual(Array.from({ length: 10 }, () => once).flat());
});

test('followers do not block other calls', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using stack = new AsyncDisposableStack();
  const followers: EventFollower[] = [];
  for (let n = 0; n < 50; n++) followers.push(stack.use(await startFollower(app.baseUrl, { key })));
  const lists = 'v1.posts.list,v1.projects.list,v1.courses.list';
  const batches = Array.from({ length: 5 }, () => app.get(`/trpc/${lists}?batch=1`, { key }));
  for (const { status } of await Promise.all(batches)) expect(status).toBe(200);
});

test('the log is read once for all followers of a process', async () => {
  await using app = await startApp({ following: { tickMs: 100, checkMs: 60_000 } });
  const { database } = app.deps;
  let statements = 0;
  const counting = { ...app.deps, database: countingStatements(database, () => statements++) };
  const server = buildApp(createDeps(counting));
  const baseUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => server.close());
  const key = await app.seed.key();
  const followers: EventFollower[] = [];
  for (let n = 0; n < 30; n++) followers.push(stack.use(await startFollower(baseUrl, { key })));
  const startedAt = performance.now();
  statements = 0;
  for (let n = 1; n <= 10; n++) {
    await app.post('/api/v1/posts', { key, body: { title: String(n) } });
    await Promise.all(followers.map((follower) => follower.told(n)));
  }
  const ticks = Math.ceil((performance.now() - startedAt) / 100) + 1;
  expect(statements).toBeLessThanOrEqual(2 * ticks);
});

/** Returns the database with a counter for the statements that pass through it. */
function countingStatements(database: TestApp['deps']['database'], count: () => void) {
  const em = new Proxy(database.em, {
    get(target, name) {
      if (name === 'getKysely') count();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return new Proxy(database, {
    get: (target, name) => (name === 'em' ? em : Reflect.get(target, name, target)),
  });
}
