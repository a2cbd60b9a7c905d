import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';
import { ownerClient } from '../support/rpc.ts';

// Records of v1 by page number and ID.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const key = await app.seed.key({ scopes: ['read:content', 'read:members'] });
const writer = await app.seed.key({ scopes: ['write', 'read'] });
const get = (path: string) => app.get(`/api/v2/${path}`, { key });
const created = '2026-01-31 09:05:00.123Z';

interface PageOf<T> {
  items: T[];
  page: number;
  per_page: number;
  total: number;
}

const collections = ['posts', 'projects', 'courses', 'talks'];
/** Seven public records of each collection, oldest first. */
const ids = new Map<string, string[]>();
/** A draft, an unlisted and a private record of each collection, which no reader may see. */
const hidden = new Map<string, string[]>();

beforeAll(async () => {
  for (const collection of collections) {
    const add = async (values: object) => {
      const { body } = await app.post(`/api/v1/${collection}`, { key: writer, body: values });
      app.clock.advance({ ms: 1 });
      return (body as { id: string }).id;
    };
    const readable: string[] = [];
    for (let n = 1; n <= 7; n++) readable.push(await add({ title: `${collection} ${n}` }));
    ids.set(collection, readable);
    hidden.set(collection, [
      await add({ title: 'Draft', is_draft: true }),
      await add({ title: 'Unlisted', visibility: 'unlisted' }),
      await add({ title: 'Private', visibility: 'private' }),
    ]);
  }
});

const idsOf = (answer: { body: unknown }) =>
  (answer.body as PageOf<{ id: string }>).items.map(({ id }) => id);

test.each(collections)('%s: pages contain all public records once, newest first', async (collection) => {
  const newestFirst = ids.get(collection)?.toReversed() ?? [];
  const shown: string[] = [];
  for (const page of [1, 2, 3]) {
    const answer = await get(`${collection}?page=${page}&per_page=3`);
    expect(answer).toMatchObject({ status: 200, body: { page, per_page: 3, total: 7 } });
    shown.push(...idsOf(answer));
  }
  expect(shown).toEqual(newestFirst);
});

test.each(collections)('%s: by default the first page of 50 is returned', async (collection) => {
  const answer = await get(collection);
  expect(answer).toMatchObject({ status: 200, body: { page: 1, per_page: 50, total: 7 } });
  expect(answer).toEqual(await get(`${collection}?page=1&per_page=50`));
});

test('posts can be sorted by publication time, in either direction', async () => {
  const siteId = await app.seed.site();
  const reader = await app.seed.key({ siteId, scopes: ['read', 'write', 'read:content'] });
  const dates = ['2024-05-01', '2020-02-29', '2026-01-01', '2020-02-29', '1999-12-31'];
  const posts = [];
  for (const date of dates) {
    const body = { title: date, published_at: `${date}T00:00:00Z` };
    const { id } = (await app.post('/api/v1/posts', { key: reader, body })).body as { id: string };
    posts.push({ id, date });
    app.clock.advance({ ms: 1 });
  }
  const latest = posts
    .toSorted((a, b) => `${b.date} ${b.id}`.localeCompare(`${a.date} ${a.id}`))
    .map(({ id }) => id);
  const paged = async (query: string) => {
    const shown: string[] = [];
    for (const page of [1, 2, 3])
      shown.push(...idsOf(await app.get(`/api/v2/posts?per_page=2&page=${page}&${query}`, { key: reader })));
    return shown;
  };
  expect(await paged('sort=-published_at')).toEqual(latest);
  expect(await paged('sort=published_at')).toEqual(latest.toReversed());
  expect(await paged('sort=-published_at&featured=false&fields=id')).toEqual(latest);
  expect(await paged('')).toEqual(posts.map(({ id }) => id).toReversed());
  for (const sort of ['', 'publish_at', '--published_at'])
    expect([sort, await app.get(`/api/v2/posts?sort=${sort}`, { key: reader })]).toEqual([
      sort,
      failure(400, 'invalid_request', expect.stringMatching(/^sort: /)),
    ]);
});

test.each([...collections, 'members'])(
  '%s: a page past the end is empty, at any distance, also in a filtered list',
  async (collection) => {
    const total = collection === 'members' ? 0 : 7;
    const tagged = ['posts', 'projects', 'courses'].includes(collection) ? 'tags=none' : '';
    for (const page of [2, 1_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      const body = { items: [], page, per_page: 200, total };
      expect(await get(`${collection}?page=${page}&per_page=200`)).toEqual({ status: 200, body });
      const filtered = { ...body, total: tagged ? 0 : total };
      expect(await get(`${collection}?page=${page}&per_page=200&${tagged}`)).toEqual({
        status: 200,
        body: filtered,
      });
    }
  },
);

test.each([...collections, 'members'])('%s: page and per_page are limited', async (collection) => {
  for (const query of [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=',
    'page=one',
    'page=1&page=2',
    'page=9007199254740993',
    'per_page=0',
    'per_page=201',
    'per_page=',
    'per_page=50&per_page=50',
    'page[]=1',
  ]) {
    const answer = await get(`${collection}?${query}`);
    const message = expect.stringMatching(/^(page|per_page): /);
    if (query === 'page[]=1') expect(answer.status).toBe(200);
    else expect([query, answer]).toEqual([query, failure(400, 'invalid_request', message)]);
  }
  expect((await get(`${collection}?per_page=200`)).status).toBe(200);
  expect((await get(`${collection}?limit=5&cursor=x&sort=title&unknown=1`)).status).toBe(200);
});

test.each(collections)('%s: a single record equals the one in the list', async (collection) => {
  const { items } = (await get(collection)).body as PageOf<{ id: string }>;
  for (const item of items) {
    expect(await get(`${collection}/${item.id}`)).toEqual({ status: 200, body: item });
  }
});

test.each(collections)('%s: hidden records and invalid ids return not_found', async (collection) => {
  const slug = `${collection}-1`;
  for (const id of [...(hidden.get(collection) ?? []), 'a'.repeat(15), slug, 'x', '%00', 'A'.repeat(15)]) {
    expect([id, await get(`${collection}/${id}`)]).toEqual([id, failure(404, 'not_found')]);
  }
});

test('projects, courses and talks have the same fields as in v1', async () => {
  for (const collection of ['projects', 'courses', 'talks']) {
    const { data } = (await app.get(`/api/v1/${collection}`, { key: writer })).body as { data: object[] };
    expect((await get(collection)).body).toMatchObject({ items: data });
    expect(((await get(collection)).body as PageOf<object>).items).toEqual(data);
  }
});

test('a post has the fields of v2, including its tier', async () => {
  const body = { title: 'Whole', excerpt: 'Short', content: 'Long', tags: ['a'], featured: true };
  const at = app.clock.now().toISOString().replace('T', ' ');
  const { id } = (await app.post('/api/v1/posts', { key: writer, body })).body as { id: string };
  const post = {
    id,
    title: 'Whole',
    slug: 'whole',
    excerpt: 'Short',
    content: 'Long',
    tags: ['a'],
    published_at: at,
    created: at,
    updated: at,
    access_tier: 'free',
  };
  expect(await get(`posts/${id}`)).toEqual({ status: 200, body: post });
  await app.patch(`/api/v1/posts/${id}`, { key: writer, body: { access_tier: 'paid' } });
  const { content: _, ...rest } = post;
  const gated = { ...rest, access_tier: 'paid', is_gated: true, gate_reason: 'purchase_required' };
  expect(await get(`posts/${id}`)).toEqual({ status: 200, body: gated });
  await app.delete(`/api/v1/posts/${id}`, { key: writer });
  expect(await get(`posts/${id}`)).toEqual(failure(404, 'not_found'));
});

test('posts can be filtered by tag and search and reduced to some fields, and the total counts the matches', async () => {
  const add = async (values: object) =>
    ((await app.post('/api/v1/posts', { key: writer, body: values })).body as { id: string }).id;
  const open = await add({ title: 'Queues', tags: ['pg', 'queues'], content: 'a walrus' });
  const gated = await add({ title: 'Locks', tags: ['pg'], content: 'a walrus', access_tier: 'paid' });
  const byTag = await get('posts?tag=pg');
  expect(byTag).toMatchObject({ body: { total: 2 } });
  expect(idsOf(byTag).sort()).toEqual([open, gated].sort());
  expect(idsOf(await get('posts?tag=queues'))).toEqual([open]);
  expect(await get('posts?q=walrus')).toMatchObject({ body: { items: [{ id: open }], total: 1 } });
  expect(await get('posts?q=locks&tag=pg')).toMatchObject({ body: { items: [{ id: gated }], total: 1 } });
  expect(await get('posts?tag=pg&per_page=1&page=2')).toMatchObject({ body: { items: [{}], total: 2 } });
  expect(await get('posts?tag=nobody')).toMatchObject({ body: { items: [], total: 0 } });
  const filtered = { items: [{ title: 'Queues', access_tier: 'free' }], page: 1, per_page: 50, total: 1 };
  expect(await get('posts?tag=queues&fields=title,access_tier')).toEqual({ status: 200, body: filtered });
  expect(await get('posts?q=locks&fields=content')).toMatchObject({
    body: { items: [{ is_gated: true, gate_reason: 'purchase_required' }] },
  });
  expect(await get('posts?fields=visibility')).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request' } },
  });
  for (const id of [open, gated]) await app.delete(`/api/v1/posts/${id}`, { key: writer });
});

test('members are paginated, newest first, with exactly the fields of the contract', async () => {
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await app.deps.database.em.execute(
    `insert into members (site_id, id, email, name, status, access_tiers, last_seen_at, created, updated)
     select ?, 'member000000' || lpad(n::text, 3, '0'), n || '@example.com', '', 'active', '{}', null, at, at
     from generate_series(1, 5) n, lateral (select timestamptz '2026-01-31 09:05:00.123Z' + n * interval '1 ms' as at) moment`,
    [await app.seed.ownSite()],
  );
  await studio.members.update.mutate({
    id: 'member000000005',
    name: 'Five',
    access_tiers: ['paid'],
    status: 'blocked',
  });
  const { items, ...about } = (await get('members?per_page=2')).body as PageOf<object>;
  expect(about).toEqual({ page: 1, per_page: 2, total: 5 });
  expect(items).toEqual([
    {
      id: 'member000000005',
      email: '5@example.com',
      name: 'Five',
      status: 'blocked',
      access_tiers: ['paid'],
      open_tiers: [],
      created: created.replace('123Z', '128Z'),
      updated: app.clock.now().toISOString().replace('T', ' '),
      last_seen_at: null,
    },
    expect.objectContaining({ id: 'member000000004', email: '4@example.com', status: 'active' }),
  ]);
  expect(idsOf(await get('members?per_page=2&page=3'))).toEqual(['member000000001']);
  expect(await studio.members.list.query({ per_page: 2 })).toMatchObject({
    total: 5,
    items: [{ name: 'Five' }, {}],
  });
});

test.each([
  ['posts', 'read:content'],
  ['projects', 'read:content'],
  ['courses', 'read:content'],
  ['talks', 'read:content'],
  ['members', 'read:members'],
  ['analytics', 'read:analytics'],
] as const)('%s needs the scope %s, and no other scope is enough', async (path, scope) => {
  const others = ['read', 'write', 'webhooks', 'read:content', 'read:members', 'read:analytics'] as const;
  const without = await app.seed.key({ scopes: others.filter((other) => other !== scope) });
  expect(await app.get(`/api/v2/${path}`, { key: without })).toEqual(failure(403, 'insufficient_scope'));
  const only = await app.seed.key({ scopes: [scope] });
  expect((await app.get(`/api/v2/${path}`, { key: only })).status).toBe(200);
});

test('a record id is 15 letters and digits', () => {
  for (const id of [...ids.values()].flat()) expect(id).toEqual(anyId);
});
