import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { resolving } from '../support/fixed-dns.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';

// Webhooks that programs register over v2, and filters of webhooks by collection.

const url = 'https://hooks.example.com/creator';
const at = '/api/v2/webhooks';
const start = '2026-01-31 09:05:00.123Z';

interface Made {
  id: string;
}

async function startSite() {
  const app = await startApp({ webhooks: { lookup: resolving({}) } });
  const key = await app.seed.key({ scopes: ['write:webhooks'] });
  const token = await app.seed.ownerToken();
  return Object.assign(app, {
    key,
    token,
    byKey: async (body: object = {}) =>
      (await app.post(at, { key, body: { url, events: ['content.*'], ...body } })).body as Made,
    byOwner: async (body: object = {}) =>
      (
        await app.post('/api/admin/webhooks', {
          key: token,
          body: { url, events: ['content.created'], ...body },
        })
      ).body as Made,
    list: async (path = at, credential = key) =>
      ((await app.get(path, { key: credential })).body as { data: Made[] }).data,
  });
}

test("a key lists the webhooks that keys registered, as the owner's list shows them, newest first", async () => {
  await using app = await startSite();
  const first = await app.byKey();
  await app.byOwner();
  app.clock.advance({ seconds: 1 });
  const second = await app.byKey({ events: ['*'] });
  const shown = { url, active: true, consecutive_failures: 0 };
  const later = '2026-01-31 09:05:01.123Z';
  expect(await app.get(at, { key: app.key })).toEqual({
    status: 200,
    body: {
      data: [
        { ...shown, id: second.id, events: ['*'], created: later, updated: later },
        { ...shown, id: first.id, events: ['content.*'], created: start, updated: start },
      ],
    },
  });
  expect(await app.list('/api/admin/webhooks', app.token)).toHaveLength(3);
});

test('any key of the site with the scope can delete such a webhook, but not one of the owner or of another site', async () => {
  await using app = await startSite();
  const [mine, owners] = [await app.byKey(), await app.byOwner()];
  const other = await app.seed.key({ scopes: ['webhooks'] });
  const foreign = await app.seed.key({ siteId: await app.seed.site(), scopes: ['webhooks'] });
  const reader = await app.seed.key({ scopes: ['read', 'write'] });
  const notFound = failure(404, 'not_found');
  expect(await app.delete(`${at}/${mine.id}`, { key: reader })).toEqual(failure(403, 'insufficient_scope'));
  expect(await app.get(at, { key: reader })).toEqual(failure(403, 'insufficient_scope'));
  expect(await app.delete(`${at}/${mine.id}`, { key: foreign })).toEqual(notFound);
  expect(await app.get(at, { key: foreign })).toEqual({ status: 200, body: { data: [] } });
  expect(await app.delete(`${at}/${owners.id}`, { key: other })).toEqual(notFound);
  for (const id of ['mb3k9x2a7f0q1zd', 'x'])
    expect(await app.delete(`${at}/${id}`, { key: other })).toEqual(notFound);
  expect(await app.delete(`${at}/${mine.id}`, { key: other })).toEqual({
    status: 200,
    body: { status: 'deleted' },
  });
  expect(await app.delete(`${at}/${mine.id}`, { key: other })).toEqual(notFound);
  expect(await app.list()).toEqual([]);
  expect(await app.list('/api/admin/webhooks', app.token)).toMatchObject([{ id: owners.id }]);
});

test('responses contain collections only if they are set; null unsets them', async () => {
  await using app = await startSite();
  const body = { url, events: ['content.*'], collections: ['posts', 'pages', 'posts'] };
  const created = await app.post(at, { key: app.key, body });
  const filtered = { id: anyId, url, events: ['content.*'], collections: ['posts', 'pages'], active: true };
  expect(created).toEqual({
    status: 201,
    body: { ...filtered, secret: expect.any(String), created: start },
  });
  const { id } = created.body as Made;
  const listed = { ...filtered, consecutive_failures: 0, created: start, updated: start };
  expect(await app.list()).toEqual([listed]);
  const patch = (change: object) => app.patch(`/api/admin/webhooks/${id}`, { key: app.token, body: change });
  await patch({ active: true });
  expect(await app.list()).toMatchObject([{ collections: ['posts', 'pages'] }]);
  await patch({ collections: ['projects'] });
  expect(await app.list()).toMatchObject([{ collections: ['projects'] }]);
  await patch({ collections: null });
  const { collections: _, ...wide } = listed;
  // The test clock does not advance, and each write gets its own millisecond.
  expect(await app.list()).toEqual([{ ...wide, updated: '2026-01-31 09:05:00.126Z' }]);
  expect(await app.byOwner({ collections: null })).not.toHaveProperty('collections');
});

test('collections without events, an empty list and a value that is not a list are refused by field', async () => {
  await using app = await startSite();
  const { id } = await app.byOwner();
  const bad: [collections: unknown, named: string][] = [
    [['talks'], 'collections.0'],
    [['posts', 'Posts'], 'collections.1'],
    [[], 'collections'],
    ['posts', 'collections'],
    [Array(51).fill('posts'), 'collections'],
  ];
  for (const [collections, named] of bad) {
    const refusal = failure(400, 'validation_failed', expect.stringContaining(named));
    const body = { url, events: ['content.created'], collections };
    expect(await app.post(at, { key: app.key, body })).toEqual(refusal);
    expect(await app.post('/api/admin/webhooks', { key: app.token, body })).toEqual(refusal);
    const patched = await app.patch(`/api/admin/webhooks/${id}`, { key: app.token, body: { collections } });
    expect(patched).toEqual(refusal);
  }
});

test('a replay with a missing, malformed or unknown period is refused by field', async () => {
  await using app = await startSite();
  const { id } = await app.byOwner();
  const replay = (body: object) => app.post(`/api/admin/webhooks/${id}/replay`, { key: app.token, body });
  const bad: [body: object, named: string][] = [
    [{}, 'since: is required'],
    [{ since: 'yesterday' }, 'since'],
    [{ since: start, until: 'now' }, 'until'],
    [{ since: start, status: 'cancelled' }, 'status'],
    [{ since: start, limit: 5 }, 'limit'],
  ];
  for (const [body, named] of bad)
    expect(await replay(body)).toEqual(failure(400, 'validation_failed', expect.stringContaining(named)));
  expect(await replay({ since: start })).toEqual({ status: 200, body: { count: 0 } });
});
