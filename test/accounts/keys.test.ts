import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';

// Storage of a key and of its last use.

test('last_used_at of an API key is null before the first use, and then written at most once a minute', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const token = await app.seed.ownerToken();
  expect(await lastUsedAt(app, token)).toBeNull();
  await app.get('/api/v1/posts', { key });
  expect(await lastUsedAt(app, token)).toBe('2026-01-31 09:05:00.123Z');
  app.clock.advance({ seconds: 59, ms: 999 });
  await app.get('/api/v1/posts', { key });
  expect(await lastUsedAt(app, token)).toBe('2026-01-31 09:05:00.123Z');
  app.clock.advance({ ms: 1 });
  await app.get('/api/v1/posts', { key });
  expect(await lastUsedAt(app, token)).toBe('2026-01-31 09:06:00.123Z');
});

test('a refused request does not count as a use of its API key', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read'], allowed_origins: ['https://ada.example.com'] });
  const token = await app.seed.ownerToken();
  await app.get('/api/v1/posts', { key });
  await app.post('/api/v1/posts', { key, body: { title: 'Short of scope' } });
  expect(await lastUsedAt(app, token)).toBeNull();
});

test('concurrent requests with an API key write its last_used_at once, and all of them succeed', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const answers = await Promise.all(Array.from({ length: 30 }, () => app.get('/api/v1/skills', { key })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await lastUsedAt(app, await app.seed.ownerToken())).toBe('2026-01-31 09:05:00.123Z');
});

test('only the hash and the prefix of an API key are stored', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const rows = await app.deps.database.em.execute('select to_jsonb(k)::text as row from api_keys k');
  expect(rows).toHaveLength(1);
  const { row } = rows[0] as { row: string };
  expect(row).not.toContain(key.slice('svc_live_'.length + 6));
  expect(row).toContain(key.slice(0, 'svc_live_'.length + 6));
});

async function lastUsedAt(app: TestApp, token: string) {
  const { body } = await app.get('/api/admin/api-keys', { key: token });
  return (body as { data: { last_used_at: string | null }[] }).data[0]?.last_used_at;
}
