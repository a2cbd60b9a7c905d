import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../../shared/contract/resources/post.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { createPaceCheck } from '../../shared/runtime/timeouts.ts';
import { startApp } from '../support/app.ts';
import { addRecords } from '../support/attacks/attacker.ts';
import { followPath, startFollower } from '../support/follower.ts';
import { formOf } from '../support/images.ts';
import { openRaw } from '../support/raw-http.ts';
import { ownerClient } from '../support/rpc.ts';

// Clients that read responses slowly or not at all, over real connections.

const pace = { stalledMs: 300, minBytesPerSecond: 4096 };

/** A PDF that is larger than the buffers of a connection and cannot be compressed. */
const largeFile = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(20_000_000)]);

/** Starts a site with responses of all kinds that exceed the buffers of a connection, alone or several in a row. */
async function startSite() {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await startApp({ timeouts: { answer: pace } }));
  const siteId = await app.seed.ownSite();
  const token = await app.seed.ownerToken(siteId);
  const key = await app.seed.key({ siteId, scopes: [...scopeNames] });
  largeFile.set(app.deps.randomBytes(largeFile.length - 9), 9);
  const uploaded = await app.post('/api/admin/media', { key: token, ...formOf(largeFile) });
  const { url } = uploaded.body as { url: string };
  await using follower = await startFollower(app.baseUrl, { key });
  const { deps } = app;
  const isPublic = { is_draft: false, published_at: '2025-01-01T00:00:00Z', access_tier: 'free' };
  const content = 'a'.repeat(400_000);
  await addRecords({ deps, siteId }, post, { count: 60, title: 'Long', content, ...isPublic });
  await deps.database.em.execute(
    `insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
     select ?, substr(md5(random()::text), 1, 15), 'content.created',
       format('{"event":"content.created","timestamp":"2026-01-31T09:05:00.123Z","data":{"id":"x","collection":"posts","title":"%s","slug":"x"}}',
         repeat('a', 1000)), clock_timestamp(), false
     from generate_series(1, 20_000) as n`,
    [siteId],
  );
  const { studio } = ownerClient(app.baseUrl, token);
  const posts = (await app.get('/api/v1/posts?limit=1&fields=slug', { key })).body as {
    data: { slug: string }[];
  };
  const json = (per_page: number) => ({ json: { per_page } });
  const inputOf = (input: object) => encodeURIComponent(JSON.stringify(input));
  const cached = '/api/v2/posts?per_page=2';
  // The third request is the first one that the fast path answers.
  for (let n = 0; n < 2; n++) await app.get(cached, { key });
  return {
    ...app,
    key,
    siteId,
    file: new URL(url, app.baseUrl).pathname,
    requests: {
      'a media file': async () => ({ path: new URL(url, app.baseUrl).pathname }),
      'a list that is sent record by record': async () => ({ path: '/api/v2/posts?per_page=60' }),
      'cached lists, which are answered before Fastify': async () => ({ path: cached, count: 60 }),
      'pages of the site': async () => ({ path: `/posts/${posts.data[0]?.slug}`, count: 200 }),
      feeds: async () => ({ path: '/feed.json', count: 60 }),
      'a typed call': async () => ({ path: `/trpc/v2.posts.list?input=${inputOf(json(60))}` }),
      'a batch of calls': async () => ({
        path: `/trpc/v2.posts.list,v2.posts.list?batch=1&input=${inputOf({ 0: json(60), 1: json(50) })}`,
      }),
      'answers to an assistant': async () => ({
        path: '/mcp',
        count: 600,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      }),
      'an export': async () => ({ path: (await studio.transfers.export.mutate()).url }),
      'followed events': async () => ({ path: followPath({ lastEventId: follower.lastId() }) }),
    },
    [Symbol.asyncDispose]: (
      (left) => () =>
        left.disposeAsync()
    )(stack.move()),
  };
}

let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site[Symbol.asyncDispose]());

/** Sends requests on one connection and stops reading after the first bytes. */
async function stallAt({ path, count = 1, body }: { path: string; count?: number; body?: string }) {
  const connection = await openRaw(site.baseUrl);
  const head = [
    `${body ? 'POST' : 'GET'} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${site.key}`,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : []),
    ...(body ? ['Accept: application/json, text/event-stream'] : []),
  ];
  const [begin] = await Promise.all([
    once(connection.socket, 'data'),
    connection.send(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`.repeat(count)),
  ]);
  connection.socket.pause();
  return { connection, status: String(begin[0]).split('\r\n', 1)[0] };
}

const kinds: (keyof typeof site.requests)[] = [
  'a media file',
  'a list that is sent record by record',
  'cached lists, which are answered before Fastify',
  'pages of the site',
  'feeds',
  'a typed call',
  'a batch of calls',
  'answers to an assistant',
  'an export',
  'followed events',
];

test.for(kinds)('a client that stops reading is cut off: %s', async (kind) => {
  const { connection, status } = await stallAt(await site.requests[kind]());
  using _ = connection;
  expect(status).toBe('HTTP/1.1 200 OK');
  await site.cutOff(connection.socket);
});

test('a follower that waits for new events does not count as a client that stopped reading', async () => {
  await using follower = await startFollower(site.baseUrl, { key: site.key });
  const { connection } = await stallAt({ path: site.file });
  using _ = connection;
  await site.cutOff(connection.socket);
  const key = await site.seed.key({ siteId: site.siteId, scopes: ['write'] });
  await site.post('/api/v1/posts', { key, body: { title: 'Still there' } });
  await follower.told(1);
  expect(follower.titles()).toEqual(['Still there']);
});

test('a client that reads steadily is not cut off, even if it takes longer than the stall limit', async () => {
  await using app = await startApp({ timeouts: { answer: { ...pace, stalledMs: 2_000 } } });
  const token = await app.seed.ownerToken();
  const { body } = await app.post('/api/admin/media', { key: token, ...formOf(largeFile) });
  const { pathname } = new URL((body as { url: string }).url, app.baseUrl);
  using connection = await openRaw(app.baseUrl);
  connection.socket.removeAllListeners('data');
  connection.send(`GET ${pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  let taken = 0;
  for await (const chunk of connection.socket) {
    taken += (chunk as Buffer).length;
    if (taken > largeFile.length) break;
    await delay(10);
  }
  expect(taken).toBeGreaterThan(largeFile.length);
});

test('a transfer is too slow when its last ten checks moved less than its minimum rate', () => {
  const { isTooSlow, restart } = createPaceCheck({ stalledMs: 1_000, minBytesPerSecond: 100 });
  const checks = (bytes: number, count: number) => Array.from({ length: count }, () => isTooSlow(bytes));
  expect(checks(10, 30)).not.toContain(true);
  expect(checks(9, 1)).toEqual([true]);
  restart();
  // The first window must be complete before a transfer can be too slow.
  expect(checks(0, 10).indexOf(true)).toBe(9);
  restart();
  // A large transfer counts for one window, whatever its size.
  expect(isTooSlow(1_000_000)).toBe(false);
  expect(checks(1, 10).indexOf(true)).toBe(9);
});
