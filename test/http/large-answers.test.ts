import { once } from 'node:events';
import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client';
import superjson from 'superjson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppRouter } from '../../server/api/router/app-router.ts';
import { timeouts } from '../../shared/contract/limits.ts';
import { post } from '../../shared/contract/resources/post.ts';
import { skill } from '../../shared/contract/resources/skill.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { addRecords } from '../support/attacks/attacker.ts';
import { failure } from '../support/http.ts';
import { openRaw } from '../support/raw-http.ts';
import { ownerClient } from '../support/rpc.ts';

// A list that is too large for memory is sent record by record, exactly as a whole list and from one snapshot.

/** App options with the time after which a stalled reader is cut off if another list waits, in milliseconds. */
const losingTurns = (stalledMs: number) => ({
  timeouts: { largeAnswer: { ...timeouts.largeAnswer, stalledMs } },
});

/**
 * Starts a site with posts that contain characters that JSON escapes and multibyte characters. With the default length,
 * in bytes, 40 posts exceed the size of an ordinary list, and 5 do not.
 */
async function startSite(posts = 60, contentLength = 30_000) {
  const app = await startApp(losingTurns(60_000));
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ siteId, scopes: ['read', 'write', 'read:content'] });
  for (let n = 1; n <= posts; n++) {
    const content = `${n}${'a"\\\nä😀'.repeat(contentLength / 10)}`;
    const body = { title: `Post ${n}`, content, tags: ['one'] };
    expect((await app.post('/api/v1/posts', { key, body })).status).toBe(201);
    app.clock.advance({ minutes: 1 });
  }
  const read = (path: string) => app.get(path, { key });
  return { ...app, key, siteId, read };
}

/** Site for tests that change nothing. */
let site: Awaited<ReturnType<typeof startSite>>;
/** App with sites whose lists are much larger than the buffers of a connection. */
let large: Awaited<ReturnType<typeof startLargeSites>>;
beforeAll(async () => {
  site = await startSite();
  large = await startLargeSites(60_000);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await large[Symbol.asyncDispose]();
});

test('a streamed v2 list has the same body as its records, and no tag', async () => {
  const large = await site.read('/api/v2/posts?per_page=50&page=1');
  expect(large.status).toBe(200);
  expect(large.headers.get('etag')).toBeNull();
  expect(large.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(large.headers.get('cache-control')).toBe('private, no-cache');
  expect(large.headers.get('link')).toBe('</api/v2/posts?per_page=50&page=2>; rel="next"');
  const items: unknown[] = [];
  for (let page = 1; page <= 25; page++) {
    const small = await site.read(`/api/v2/posts?per_page=2&page=${page}`);
    expect(small.headers.get('etag')).not.toBeNull();
    items.push(...(small.body as { items: unknown[] }).items);
  }
  expect(JSON.stringify(large.body) === JSON.stringify({ items, page: 1, per_page: 50, total: 60 })).toBe(
    true,
  );
});

test('a cursor continues a streamed list, also with filters, sort orders and fields', async () => {
  for (const query of [
    '',
    '&sort=title',
    '&q=post',
    '&fields=content',
    '&sort=created&fields=title,content',
  ]) {
    const first = await site.read(`/api/v1/posts?limit=40${query}`);
    expect([query, first.headers.get('etag')]).toEqual([query, null]);
    const { next_cursor, ...rest } = first.body as { next_cursor: string; data: object[] };
    expect(rest).toMatchObject({ total: 60, count: 40, per_page: 40 });
    expect(first.headers.get('link')).toContain('rel="next"');
    const second = (await site.read(`/api/v1/posts?limit=40${query}&cursor=${next_cursor}`)).body as {
      data: object[];
    };
    const small: object[] = [];
    for (let cursor = ''; small.length < 60; ) {
      const path = `/api/v1/posts?limit=5${query}${cursor && `&cursor=${cursor}`}`;
      const { body } = await site.read(path);
      const page = body as { data: object[]; next_cursor?: string };
      small.push(...page.data);
      cursor = page.next_cursor ?? '';
    }
    expect(JSON.stringify([...rest.data, ...second.data]) === JSON.stringify(small)).toBe(true);
  }
});

test('unpaged lists, lists of owners and RPC batches are streamed too', async () => {
  await using app = await startSite(40);
  for (let n = 0; n < 40; n++) {
    const body = { title: `Talk ${n}`, description: 'x'.repeat(50_000) };
    expect((await app.post('/api/v1/talks', { key: app.key, body })).status).toBe(201);
  }
  const talks = await app.read('/api/v1/talks');
  expect(talks.headers.get('etag')).toBeNull();
  const { data } = talks.body as { data: { title: string; description: string }[] };
  expect(data).toHaveLength(40);
  expect(data.every(({ description }) => description === 'x'.repeat(50_000))).toBe(true);

  const links = [
    httpBatchLink({
      url: `${app.baseUrl}/trpc`,
      transformer: superjson,
      headers: { authorization: `Bearer ${app.key}` },
    }),
  ];
  const batching = createTRPCClient<AppRouter>({ links });
  const [over, small, none, again] = await Promise.allSettled([
    batching.v1.talks.list.query(),
    batching.v1.skills.list.query(),
    batching.v1.posts.get.query({ slug: 'none' }),
    batching.v2.posts.list.query({ per_page: 39 }),
  ]);
  expect(over).toMatchObject({ status: 'fulfilled' });
  expect(plain(over.status === 'fulfilled' && over.value) === plain(talks.body)).toBe(true);
  expect(small).toEqual({ status: 'fulfilled', value: { data: [] } });
  expect(none).toMatchObject({ status: 'rejected', reason: { data: { code: 'not_found' } } });
  const rest = await app.read('/api/v2/posts?per_page=39');
  const posts = again.status === 'fulfilled' ? again.value : null;
  expect(plain(posts) === plain(rest.body)).toBe(true);
  expect(posts?.items.every(({ created }) => created instanceof Date)).toBe(true);

  const studio = ownerClient(app.baseUrl, await app.seed.ownerToken(app.siteId)).studio;
  const own = await studio.posts.list.query({ per_page: 39 });
  expect(own.items.map(({ title }) => title)).toEqual(
    posts && [...Array(39)].map((_, n) => `Post ${40 - n}`),
  );
  expect(own.items[0]?.content?.length).toBe(posts?.items[0]?.content?.length);
  expect(own.items[0]?.updated).toBeInstanceOf(Date);
});

test('a streamed list of 12,000 records is complete, in order and typed, with and without a filter', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ siteId, scopes: ['read'] });
  await addRecords({ deps: app.deps, siteId }, skill, { count: 12_000, name: 'A skill', category: 'Some' });
  const ids = [...Array(12_000)].map((_, n) => String(12_000 - n).padStart(15, '0'));
  const rpc = createTRPCClient<AppRouter>({
    links: [
      httpLink({
        url: `${app.baseUrl}/trpc`,
        transformer: superjson,
        headers: { authorization: `Bearer ${key}` },
      }),
    ],
  });
  for (const filter of [{}, { category: ['Some'] }]) {
    const query = filter.category ? '?category=Some' : '';
    const { headers, body } = await app.get(`/api/v1/skills${query}`, { key });
    expect(headers.get('etag')).toBeNull();
    const { data } = body as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(ids);
    const typed = await rpc.v1.skills.list.query(filter);
    expect(
      typed.data.every(({ created, updated }) => created instanceof Date && updated instanceof Date),
    ).toBe(true);
    expect(plain(typed) === plain(body)).toBe(true);
  }
});

test('a streamed list is one snapshot: concurrent changes do not appear in it', async () => {
  const { key, siteId } = await startLargeSite(large);
  const path = '/api/v2/posts?per_page=100&fields=id,title,content';
  const whole = await large.get(path, { key });
  const answer = await fetch(large.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  const { em } = large.deps.database;
  await em.execute(`update posts set title = 'Changed', content = 'short' where site_id = ?`, [siteId]);
  await em.execute(`delete from posts where site_id = ? and slug like '%1'`, [siteId]);
  const chunks = [first?.value ?? new Uint8Array()];
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
    chunks.push(next.value);
  expect(Buffer.concat(chunks).toString() === JSON.stringify(whole.body)).toBe(true);
});

test('a site streams one large list at a time and refuses others; after a client disconnects, the next one can begin', async () => {
  const { key, head } = large.first;
  const read = (size: number) => large.get(`/api/v2/posts?per_page=${size}`, { key });
  using held = await openRaw(large.baseUrl);
  held.send(head);
  await once(held.socket, 'data');
  held.socket.pause();
  const refused = await read(5);
  expect(refused).toEqual(failure(503, 'database_busy'));
  expect(refused.headers.get('retry-after')).toBe('1');
  // Small lists do not wait.
  expect((await read(1)).status).toBe(200);
  expect((await large.call('HEAD', '/api/v2/posts?per_page=1', { key })).status).toBe(200);
  const waiting = read(4);
  held.socket.destroy();
  expect((await waiting).status).toBe(200);
});

/** Adds a site whose list is much larger than the buffers of a connection. */
async function startLargeSite(app: TestApp) {
  const siteId = await app.seed.site();
  const key = await app.seed.key({ siteId, scopes: ['read', 'read:content'] });
  const isPublic = { is_draft: false, published_at: '2025-01-01T00:00:00Z' };
  const content = 'a'.repeat(490_000);
  await addRecords({ deps: app.deps, siteId }, post, { count: 100, title: 'Long', content, ...isPublic });
  const head = `GET /api/v2/posts?per_page=100 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  return { key, siteId, head, bytes: 100 * content.length };
}

/** Starts an app with two large sites. A stalled reader is cut off after this time, in milliseconds. */
async function startLargeSites(stalledMs: number) {
  const app = await startApp(losingTurns(stalledMs));
  const [first, second] = await Promise.all([startLargeSite(app), startLargeSite(app)]);
  return { ...app, first, second };
}

test('a reader that exceeds the time limit of a streamed list is cut off, even if it reads steadily', async () => {
  await using app = await startApp({
    timeouts: { largeAnswer: { ...timeouts.largeAnswer, maxMs: 1_000 } },
  });
  const { key, head, bytes } = await startLargeSite(app);
  using slow = await openRaw(app.baseUrl);
  slow.socket.removeAllListeners('data');
  slow.send(head);
  let taken = 0;
  const closed = once(slow.socket, 'close');
  slow.socket.on('data', (chunk) => {
    taken += chunk.length;
    slow.socket.pause();
    setTimeout(() => slow.socket.resume(), 5);
  });
  await closed;
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(bytes);
  expect((await app.get('/api/v2/posts?per_page=3', { key })).status).toBe(200);
});

test('a process streams as many lists concurrently as a fifth of its connections, and the next one waits', async () => {
  const { first, second } = large;
  using held = await openRaw(large.baseUrl);
  held.send(first.head);
  const [begin] = await once(held.socket, 'data');
  expect(String(begin)).toContain('HTTP/1.1 200 OK');
  held.socket.pause();
  // The app has five connections, so it streams one list.
  const { key } = second;
  expect(await large.get('/api/v2/posts?per_page=4', { key })).toEqual(failure(503, 'database_busy'));
  const waiting = large.get('/api/v2/posts?per_page=3', { key });
  expect((await large.get('/api/v2/posts?per_page=1', { key })).status).toBe(200);
  held.socket.destroy();
  expect((await waiting).status).toBe(200);
});

const input = (...sizes: number[]) =>
  encodeURIComponent(
    JSON.stringify(Object.fromEntries(sizes.map((per_page, n) => [n, { json: { per_page } }]))),
  );

test('a reader that stalls is cut off as soon as another list waits: REST, a typed call and a batch', async () => {
  await using app = await startLargeSites(300);
  const { first: site, second: other } = app;
  for (const path of [
    '/api/v2/posts?per_page=100',
    `/trpc/v2.posts.list?input=${encodeURIComponent(JSON.stringify({ json: { per_page: 100 } }))}`,
    `/trpc/v2.posts.list,v2.posts.list?batch=1&input=${input(90, 80)}`,
  ]) {
    const stall = async () => {
      const held = await openRaw(app.baseUrl);
      held.send(site.head.replace('/api/v2/posts?per_page=100', path));
      const [begin] = await once(held.socket, 'data');
      expect([path, String(begin)]).toEqual([path, expect.stringContaining('HTTP/1.1 200 OK')]);
      held.socket.pause();
      return held;
    };
    using first = await stall();
    expect([path, (await app.get('/api/v2/posts?per_page=4', site)).status]).toEqual([path, 200]);
    await app.cutOff(first.socket);
    // A list of another site waits too, because this process streams one list at a time.
    using second = await stall();
    expect([path, (await app.get('/api/v2/posts?per_page=4', other)).status]).toEqual([path, 200]);
    await app.cutOff(second.socket);
    // Small lists neither wait nor cut off a streamed list.
    using third = await stall();
    for (let n = 0; n < 10; n++) expect((await app.get('/api/v2/posts?per_page=1', site)).status).toBe(200);
    // The snapshot is `active` while it reads ahead for the stalled reader.
    await expect
      .poll(async () => [path, await app.deps.database.em.execute(openSnapshots)])
      .toEqual([path, [{ count: 1 }]]);
    third.socket.destroy();
  }
});

/** SQL: number of snapshots that readers of large lists keep open. */
const openSnapshots = `select count(*) from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction'`;

test('long records that are requested concurrently are resolved in separate ticks, short ones in one', async () => {
  await using app = await startSite(10, 100_000);
  const { findRecord } = app.deps;
  const inTurns = async (slugs: string[]) => {
    const given: number[] = [];
    let turn = 0;
    let isOver = false;
    const count = () => {
      turn += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const find = async (value: string) => {
      const found = await findRecord({ siteId: app.siteId, resource: post, column: 'slug', value });
      given.push(turn);
      return found && Reflect.get(found.record, 'slug');
    };
    expect(await Promise.all(slugs.map(find))).toEqual(slugs);
    isOver = true;
    return new Set(given).size;
  };
  const slugs = [...Array(10)].map((_, n) => `post-${n + 1}`);
  expect(await inTurns(slugs)).toBe(10);
  await app.deps.database.em.execute(`update posts set content = 'short'`);
  expect(await inTurns(slugs)).toBe(1);
});

test('HEAD of a large list has only headers, and does not count as a list that is being streamed', async () => {
  for (let n = 0; n < 3; n++) {
    const head = await site.call('HEAD', '/api/v2/posts?per_page=60', { key: site.key });
    expect(head).toEqual({ status: 200, body: undefined });
    expect(head.headers.get('etag')).toBeNull();
  }
});

test('an assistant gets an error that suggests fewer records or fields, and the feed is complete', async () => {
  const key = await site.seed.key({ scopes: ['mcp:posts:read'] });
  await using assistant = await connectAssistant(site, key);
  expect(await assistant.callTool('list_posts', { limit: 50, fields: ['title', 'content'] })).toMatchObject({
    error: {
      code: 'invalid_request',
      message: 'the response would exceed 1 MiB: request fewer records or fewer fields',
    },
  });
  const feed = await fetch(`${site.baseUrl}/feed.json`);
  expect(feed.status).toBe(200);
  expect(((await feed.json()) as { items: object[] }).items.length).toBeGreaterThan(10);
});

/** A value as JSON, with dates in one format whether they are Dates or strings. */
const plain = (value: unknown) =>
  JSON.stringify(JSON.parse(JSON.stringify(value)), (name, part) =>
    ['created', 'updated', 'published_at'].includes(name) && part ? new Date(part).toISOString() : part,
  );
