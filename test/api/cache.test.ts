import { expect, test } from 'vitest';
import { createResponseCache } from '../../server/api/cache/response-cache.ts';
import { startApp } from '../support/app.ts';

test('a response has the same bytes and tag until its collection changes, and is 304 for a client that has it', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  const first = await app.get('/api/v1/posts', { key });
  const tag = first.headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect((await app.get('/api/v1/posts', { key })).headers.get('etag')).toBe(tag);
  const headers = { 'if-none-match': `W/"other", ${tag}` };
  expect(await app.get('/api/v1/posts', { key, headers })).toEqual({ status: 304, body: undefined });
  await app.post('/api/v1/posts', { key, body: { title: 'Two' } });
  expect(await app.get('/api/v1/posts', { key, headers })).toMatchObject({ status: 200, body: { total: 2 } });
});

test('a 304 has no Content-Type', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const { headers } = await app.get('/api/v1/posts', { key });
  const unchanged = await fetch(`${app.baseUrl}/api/v1/posts`, {
    headers: { authorization: `Bearer ${key}`, 'if-none-match': headers.get('etag') ?? '' },
  });
  expect(unchanged.status).toBe(304);
  expect(unchanged.headers.get('content-type')).toBeNull();
  expect(unchanged.headers.get('etag')).toBe(headers.get('etag'));
});

test('a cached response is compressed if the client accepts that, over REST and RPC, with its own tag', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const titles = Array.from({ length: 20 }, (_, n) => `Post ${n}`);
  for (const title of titles)
    await app.post('/api/v1/posts', { key, body: { title, content: `What ${title} is about. `.repeat(80) } });
  const get = (path: string, headers: Record<string, string>) =>
    fetch(app.baseUrl + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const tags = new Set<string | null>();
  for (const path of ['/api/v1/posts?limit=20', '/trpc/v1.posts.list?batch=1']) {
    const plain = await get(path, { 'accept-encoding': 'identity' });
    const text = await plain.text();
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
    ] as const) {
      const packed = await get(path, { 'accept-encoding': accepted });
      expect(packed.headers.get('content-encoding')).toBe(coding);
      expect(packed.headers.get('vary')).toContain('Accept-Encoding');
      expect(Number(packed.headers.get('content-length'))).toBeLessThan(text.length / 4);
      expect(await packed.text()).toBe(text);
      const tag = packed.headers.get('etag');
      if (!path.startsWith('/api')) continue;
      tags.add(tag).add(plain.headers.get('etag'));
      const known = { 'if-none-match': tag ?? '' };
      expect((await get(path, { ...known, 'accept-encoding': accepted })).status).toBe(304);
      expect((await get(path, { ...known, 'accept-encoding': 'identity' })).status).toBe(200);
    }
  }
  expect(tags.size).toBe(3);
});

test('a response that may not be cached, such as one with a secret, is never compressed', async () => {
  await using app = await startApp();
  const key = await app.seed.ownerToken(await app.seed.ownSite());
  const name = 'Same words again and again. '.repeat(4);
  const body = { name, scopes: ['read'], allowed_origins: Array(20).fill('https://example.com') };
  const created = await app.post('/api/admin/api-keys', { key, body, headers: { 'accept-encoding': 'br' } });
  expect(created.status).toBe(201);
  expect(created.headers.get('content-encoding')).toBeNull();
});

test('a large batch is assembled from cached responses, and equals a batch that is not cached', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'One', content: 'long '.repeat(20_000) } });
  const call = `v1.posts.list,v1.skills.list,v1.posts.list?batch=1`;
  const own = await app.get(`/trpc/${call}&connectionParams=null`, { key });
  const kept = await app.get(`/trpc/${call}`, { key });
  expect(kept).toEqual(own);
  expect(own.status).toBe(200);
});

test('an RPC response from the cache equals the response of tRPC', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  const input = encodeURIComponent(JSON.stringify({ json: { slug: 'one' } }));
  const inputs = encodeURIComponent(JSON.stringify({ 0: { json: { slug: 'one' } } }));
  const calls = [
    `v1.posts.get?input=${input}`,
    `v1.posts.get?batch=1&input=${inputs}`,
    `v1.posts.get,v1.skills.list,v1.posts.list?batch=1&input=${inputs}`,
  ];
  for (const call of calls) {
    const own = await app.get(`/trpc/${call}&connectionParams=null`, { key });
    const kept = await app.get(`/trpc/${call}`, { key });
    expect(kept).toEqual(own);
    expect(own.status).toBe(200);
    expect(kept.headers.get('content-type')).toBe(own.headers.get('content-type'));
    // A cached response may be sent compressed, so it varies by Accept-Encoding.
    expect(kept.headers.get('vary')).toBe(`${own.headers.get('vary')}, Accept-Encoding`);
  }
});

test('no response for one site, key or access tier reaches another', async () => {
  await using app = await startApp();
  const [one, two] = [await app.seed.site(), await app.seed.site()];
  const [keyOne, keyTwo] = [await app.seed.key({ siteId: one }), await app.seed.key({ siteId: two })];
  await app.post('/api/v1/posts', { key: keyOne, body: { title: 'Of one' } });
  await app.post('/api/v1/posts', { key: keyTwo, body: { title: 'Of two' } });
  expect(await app.get('/api/v1/posts', { key: keyOne })).toMatchObject({
    body: { data: [{ title: 'Of one' }], total: 1 },
  });
  expect(await app.get('/api/v1/posts', { key: keyTwo })).toMatchObject({
    body: { data: [{ title: 'Of two' }], total: 1 },
  });
  const writeOnly = await app.seed.key({ siteId: one, scopes: ['write'] });
  expect((await app.get('/api/v1/posts', { key: writeOnly })).status).toBe(403);
});

test('the cache stays within its size limit, whatever the number and length of its keys', () => {
  const maxBytes = 1_000_000;
  const cache = createResponseCache(maxBytes);
  const questions = Array.from(
    { length: 5_000 },
    (_, number) => `${number} ${'k'.repeat((number * 37) % 2_000)}`,
  );
  const keyOf = (question: string) => ({ question, version: 1 });
  for (const question of questions) cache.set(keyOf(question), { text: 'x'.repeat(question.length % 700) });
  const bytes = questions.map((question) => {
    const kept = cache.get(keyOf(question));
    return kept ? 2 * question.length + JSON.stringify(kept).length : 0;
  });
  const sum = bytes.reduce((total, size) => total + size, 0);
  expect(sum).toBeGreaterThan(maxBytes / 4);
  expect(sum).toBeLessThan(maxBytes);
  const requested = Array.from({ length: 2_000 }, (_, number) => `list ${'value,'.repeat(200)} ${number}`);
  for (const question of requested) cache.set(keyOf(question), {});
  const left = requested
    .filter((question) => cache.get(keyOf(question)))
    .reduce((total, question) => total + 2 * question.length, 0);
  expect(left).toBeLessThan(maxBytes);
  cache.set(keyOf('larger than all'), { text: 'x'.repeat(maxBytes) });
  expect(cache.get(keyOf('larger than all'))).toBeUndefined();
});

test('a new version of a response replaces the previous one, so outdated versions evict no other response', () => {
  const cache = createResponseCache(1_000_000);
  const text = 'x'.repeat(20_000);
  const others = Array.from({ length: 5 }, (_, number) => ({ question: `other ${number}`, version: 1 }));
  for (const key of others) cache.set(key, { text });
  for (let version = 1; version <= 50; version++)
    cache.set({ question: 'changed', version }, { text, version });
  expect(others.map((key) => cache.get(key))).toEqual(others.map(() => ({ text })));
  expect(cache.get({ question: 'changed', version: 50 })).toEqual({ text, version: 50 });
  expect(cache.get({ question: 'changed', version: 49 })).toBeUndefined();
});

test('unknown query parameters do not make a different cache key', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  await app.get('/api/v1/posts', { key });
  // This update skips the trigger that raises the version, so only a cached response still has the old title.
  await app.deps.database.em.execute(
    `set local session_replication_role = replica; update posts set title = 'Two'`,
  );
  const fromMemory = await app.get('/api/v1/posts?junk=1&page=7&constructor=x', { key });
  expect(fromMemory).toMatchObject({ status: 200, body: { data: [{ title: 'One' }] } });
  expect(await app.get('/api/v1/posts?limit=19', { key })).toMatchObject({
    body: { data: [{ title: 'Two' }] },
  });
});
