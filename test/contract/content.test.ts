import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';

test('a post that is created is read back under the slug made from its title', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const created = await app.post('/api/v1/posts', {
    key,
    body: { title: 'Héllo, wórld!', content: 'Body', tags: ['a'] },
  });
  expect(created).toEqual({
    status: 201,
    body: { id: expect.stringMatching(/^[a-z0-9]{15}$/), created: '2026-01-31 09:05:00.123Z' },
  });
  const { id } = created.body as { id: string };
  const post = {
    id,
    title: 'Héllo, wórld!',
    slug: 'hello-world',
    excerpt: '',
    content: 'Body',
    visibility: 'public',
    featured: false,
    tags: ['a'],
    published_at: '2026-01-31 09:05:00.123Z',
    created: '2026-01-31 09:05:00.123Z',
    updated: '2026-01-31 09:05:00.123Z',
  };
  expect(await app.get('/api/v1/posts/hello-world', { key })).toEqual({ status: 200, body: post });
  expect(await app.get('/api/v1/posts', { key })).toEqual({
    status: 200,
    body: { data: [post], total: 1, count: 1, per_page: 20 },
  });
  expect(await app.get('/api/v1/posts?fields=title', { key })).toEqual({
    status: 200,
    body: { data: [{ title: 'Héllo, wórld!' }], total: 1, count: 1, per_page: 20 },
  });
  app.clock.advance({ minutes: 1 });
  expect(await app.patch(`/api/v1/posts/${id}`, { key, body: { access_tier: 'paid', slug: null } })).toEqual({
    status: 200,
    body: { status: 'updated' },
  });
  const { content: _, ...gated } = {
    ...post,
    is_gated: true,
    gate_reason: 'purchase_required',
    updated: '2026-01-31 09:06:00.123Z',
  };
  expect(await app.get('/api/v1/posts/hello-world', { key })).toEqual({ status: 200, body: gated });
  expect((await app.post('/api/v1/posts', { key, body: { title: 'Hello world' } })).status).toBe(201);
  expect((await app.get('/api/v1/posts/hello-world-2', { key })).status).toBe(200);
  expect(await app.delete(`/api/v1/posts/${id}`, { key })).toEqual({
    status: 200,
    body: { status: 'deleted' },
  });
  expect(await app.delete(`/api/v1/posts/${id}`, { key })).toEqual(failure(404, 'not_found'));
  expect(await app.patch(`/api/v1/posts/nope`, { key, body: {} })).toEqual(failure(404, 'not_found'));
  expect(await app.get('/api/v1/posts')).toEqual(failure(401, 'unauthorized'));
  expect(await app.get('/api/v1/profile', { key })).toMatchObject({ status: 200, body: { name: 'A site' } });
});
