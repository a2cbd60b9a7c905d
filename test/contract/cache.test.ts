import { expect, test } from 'vitest';
import { createAnswerCache } from '../../server/cache/answer-cache.ts';
import { startApp } from '../support/app.ts';

test('an answer is the same bytes with the same tag until its collection changes, and 304 to one who has them', async () => {
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

test('what RPC is answered from memory is what tRPC itself answers', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'One' } });
  const input = encodeURIComponent(JSON.stringify({ json: { slug: 'one' } }));
  const inputs = encodeURIComponent(JSON.stringify({ 0: { json: { slug: 'one' } } }));
  const calls = [`v1.posts.get?input=${input}`, `v1.posts.get,v1.skills.list?batch=1&input=${inputs}`];
  for (const call of calls) {
    const own = await app.get(`/trpc/${call}&connectionParams=null`, { key });
    const kept = await app.get(`/trpc/${call}`, { key });
    expect(kept).toEqual(own);
    expect(own.status).toBe(200);
    for (const name of ['content-type', 'vary']) expect(kept.headers.get(name)).toBe(own.headers.get(name));
  }
});

test('no answer of one site, key or tier reaches another', async () => {
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

test('unknown query parameters make no new answer, and the cache stays within its bound', () => {
  const cache = createAnswerCache(100_000);
  for (let number = 0; number < 1_000; number += 1) cache.set(`key ${number}`, { text: 'x'.repeat(1_000) });
  const kept = Array.from({ length: 1_000 }, (_, number) => cache.get(`key ${number}`)).filter(Boolean);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length * 2_000).toBeLessThan(100_000);
});
