import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

test('smoke', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const created = await app.post('/api/admin/webhooks', {
    key: token,
    body: { url: 'https://example.com/x', events: ['content.created'] },
  });
  expect(created).toMatchObject({ status: 201 });
  expect(await app.get('/api/admin/webhooks', { key: token })).toMatchObject({ status: 200 });
  const key = await app.post('/api/admin/api-keys', {
    key: token,
    body: { name: 'k', scopes: ['read', 'write'] },
  });
  expect(key).toMatchObject({ status: 201 });
  const { key: secret, id } = key.body as { key: string; id: string };
  const post = await app.post('/api/v1/posts', { key: secret, body: { title: 'x' } });
  expect(post).toMatchObject({ status: 201 });
  await app.patch(`/api/v1/posts/${(post.body as { id: string }).id}`, { key: secret, body: { title: 'y' } });
  expect(await app.get('/api/v1/webhooks/poll/content.created', { key: secret })).toMatchObject({
    status: 200,
  });
  expect(await app.post(`/api/admin/api-keys/${id}/rotate`, { key: token })).toMatchObject({ status: 200 });
});
