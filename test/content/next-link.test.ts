import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf, type Values } from '../support/content.ts';
import { readOperations } from '../support/operations.ts';

// Link header to the next page of a list, for programs that follow links (RFC 8288, docs/reference/lists.md).

const app = await startApp({ webhooks: { lookup: async () => ['93.184.215.14'] } });
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: ['read', 'write', 'read:content', 'read:members'] });
const posts = recordsOf(app, 'posts', key);
for (let n = 0; n < 7; n++) {
  app.clock.advance({ ms: 1 });
  await posts.add({ title: `Post ${n}`, tags: [n % 2 ? 'odd, not even' : 'even'] });
}

interface List {
  data?: Values[];
  items?: Values[];
  events?: Values[];
}

/** Returns the address of the next page, or null on the last page. */
const nextOf = (headers: Headers) => /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null;

async function follow(first: string) {
  const shown: unknown[] = [];
  const paths: string[] = [];
  for (let path: string | null = first; path !== null; ) {
    paths.push(path);
    const answer = await app.get(path, { key });
    const { data, items, events } = answer.body as List;
    shown.push(...(data ?? items ?? events ?? []).map(({ id }) => id));
    path = nextOf(answer.headers);
  }
  return { shown, paths };
}

test.for([
  '/api/v1/posts?limit=3',
  '/api/v2/posts?per_page=3',
  '/api/v1/webhooks/poll/content.created?limit=3',
])(
  '%s: following Link returns each record once, also from the cache, until a page has none',
  async (path) => {
    const { shown, paths } = await follow(path);
    expect(shown).toHaveLength(7);
    expect(new Set(shown).size).toBe(7);
    expect(paths).toHaveLength(3);
    expect(await follow(path)).toEqual({ shown, paths });
  },
);

test('Link keeps known parameters, also repeated ones, and drops unknown ones', async () => {
  const requested = 'tags=odd%2C+not+even&tags=even&sort=title&fields=id,title&limit=2&_=17&constructor=x';
  const { headers, body } = await app.get(`/api/v1/posts?${requested}`, { key });
  const next = new URL(nextOf(headers) ?? '', app.baseUrl);
  expect(next.pathname).toBe('/api/v1/posts');
  expect([...next.searchParams]).toEqual([
    ['tags', 'odd, not even'],
    ['tags', 'even'],
    ['sort', 'title'],
    ['fields', 'id,title'],
    ['limit', '2'],
    ['cursor', (body as { next_cursor: string }).next_cursor],
  ]);
  expect(await app.get(`${next.pathname}${next.search}`, { key })).toMatchObject({
    body: { data: [{ title: 'Post 2' }, { title: 'Post 3' }] },
  });
});

test('Link keeps the text after a second question mark, so that it continues the same list', async () => {
  const { headers } = await app.get('/api/v1/posts?tags=even&tags=what?&sort=title&limit=2', { key });
  const next = new URL(nextOf(headers) ?? '', app.baseUrl);
  expect([...next.searchParams].slice(0, -1)).toEqual([
    ['tags', 'even'],
    ['tags', 'what?'],
    ['sort', 'title'],
    ['limit', '2'],
  ]);
  expect(await app.get(`${next.pathname}${next.search}`, { key })).toMatchObject({
    body: { data: [{ title: 'Post 4' }, { title: 'Post 6' }] },
  });
});

test('HEAD and 304 responses have Link, browsers may read it, and RPC has none', async () => {
  const first = await app.get('/api/v1/posts?limit=3', { key });
  const link = first.headers.get('link');
  expect(link).toMatch(/^<\/api\/v1\/posts\?limit=3&cursor=[\w-]+>; rel="next"$/);
  const tag = { 'if-none-match': first.headers.get('etag') ?? '' };
  const again = await app.get('/api/v1/posts?limit=3', { key, headers: tag });
  expect([again.status, again.headers.get('link')]).toEqual([304, link]);
  const head = await app.call('HEAD', '/api/v1/posts?limit=3', { key });
  expect([head.status, head.headers.get('link')]).toEqual([200, link]);
  expect(first.headers.get('access-control-expose-headers')).toContain('Link');
  const input = encodeURIComponent(JSON.stringify({ json: { limit: 3 } }));
  const rpc = await app.get(`/trpc/v1.posts.list?input=${input}`, { key });
  expect([rpc.status, rpc.headers.get('link')]).toEqual([200, null]);
});

test('a page past the end, an address too long to repeat, and a complete list have no Link', async () => {
  for (const path of [
    '/api/v2/posts?per_page=3&page=99',
    '/api/v2/members',
    '/api/v1/skills',
    `/api/v1/posts?limit=1&${'tags=even&'.repeat(99)}access_tier=free,${'a'.repeat(490)}&${`access_tier=${'b'.repeat(490)}&`.repeat(20)}`,
  ]) {
    const { status, headers } = await app.get(path, { key });
    expect([path, status, headers.get('link')]).toEqual([path, 200, null]);
  }
});

test('the OpenAPI document lists Link for every paginated list, and for no other operation', async () => {
  const withPages = (await readOperations()).filter(({ parameters }) =>
    parameters.some(({ name }) => name === 'cursor' || name === 'page'),
  );
  const documented = (await readOperations()).filter(({ headersOf }) => headersOf(200).includes('Link'));
  expect(documented.map(({ id }) => id)).toEqual(withPages.map(({ id }) => id));
});
