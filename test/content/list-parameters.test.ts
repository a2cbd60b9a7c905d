import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { restResources } from '../support/content.ts';
import { failure } from '../support/http.ts';

// Valid values of list parameters (docs/reference/lists.md).

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();

const paged = restResources.filter((resource) => resource.paged);

test.for(paged)('$collection: limit is an integer from 1 to 100', async ({ collection }) => {
  for (const limit of ['1', '100'])
    expect(await app.get(`/api/v1/${collection}?limit=${limit}`, { key })).toMatchObject({
      status: 200,
      body: { per_page: Number(limit) },
    });
  const wrong = [
    '',
    '0',
    '101',
    '-1',
    '1.5',
    '1.0',
    '1e1',
    '0x10',
    '0b1',
    '1_0',
    'ten',
    'NaN',
    'Infinity',
    ' 5',
    '5 ',
    '+5',
    '5,6',
    '５',
    'null',
    '99999999999999999999',
  ];
  for (const limit of wrong) {
    const answer = await app.get(`/api/v1/${collection}?limit=${encodeURIComponent(limit)}`, { key });
    expect([limit, answer]).toEqual([
      limit,
      failure(400, 'invalid_request', expect.stringMatching(/^limit: /)),
    ]);
  }
});

test.for(paged)('$collection: sort accepts six values', async ({ collection }) => {
  for (const sort of [
    '',
    '-',
    'id',
    '-id',
    'Created',
    '+created',
    '--created',
    'created,title',
    'published_at',
    'constructor',
  ]) {
    const answer = await app.get(`/api/v1/${collection}?sort=${encodeURIComponent(sort)}`, { key });
    expect([sort, answer]).toEqual([sort, failure(400, 'invalid_request', expect.stringMatching(/^sort: /))]);
  }
});

const single: Record<string, [string, string]> = {
  limit: ['1', '1'],
  sort: ['title', 'title'],
  cursor: ['', ''],
  tag: ['a', 'a'],
  q: ['a', 'a'],
};

test.for(Object.entries(single))(
  '%s= is refused with invalid_request if it is given twice',
  async ([name, [one, two]]) => {
    const answer = await app.get(`/api/v1/posts?${name}=${one}&${name}=${two}`, { key });
    expect(answer).toEqual(failure(400, 'invalid_request', expect.stringMatching(new RegExp(`^${name}: `))));
  },
);

test('fields can be repeated instead of separated by commas, but not both', async () => {
  const separated = await app.get('/api/v1/posts?fields=id,title', { key });
  expect(separated).toMatchObject({ status: 200 });
  expect(await app.get('/api/v1/posts?fields=id&fields=title', { key })).toEqual(separated);
  expect(await app.get('/api/v1/posts?fields=id,title&fields=slug', { key })).toMatchObject({ status: 400 });
});

test('a query string that is not percent-encoded UTF-8 is refused with invalid_request', async () => {
  for (const query of ['q=%', 'q=%zz', 'tag=%ff', 'q=%E6%BC', '%=1']) {
    expect([query, await app.get(`/api/v1/posts?${query}`, { key })]).toEqual([
      query,
      failure(400, 'invalid_request', 'the query string is not percent-encoded UTF-8'),
    ]);
  }
});

test('tag= and q= accept at most 200 characters and no NUL', async () => {
  for (const [name, value] of [
    ['tag', '%00'],
    ['q', 'a%00b'],
    ['tag', 'a'.repeat(201)],
    ['q', 'a'.repeat(201)],
  ]) {
    const answer = await app.get(`/api/v1/posts?${name}=${value}`, { key });
    expect(answer).toEqual(failure(400, 'invalid_request', expect.stringMatching(new RegExp(`^${name}: `))));
  }
});

test.for(restResources)(
  '$collection: unknown query parameters are ignored, on every method',
  async (resource) => {
    const { collection, min: minimal } = resource;
    const path = `/api/v1/${collection}`;
    const strange = 'page=2&api=1&limit[]=0&__proto__=1&constructor=1&toString=1&_=1700000000';
    const created = await app.post(`${path}?${strange}`, { key, body: minimal });
    expect(created.status).toBe(201);
    expect(await app.get(`${path}?${strange}`, { key })).toEqual(await app.get(path, { key }));
    const { id } = created.body as { id: string };
    expect((await app.patch(`${path}/${id}?${strange}`, { key, body: {} })).status).toBe(200);
    expect((await app.delete(`${path}/${id}?${strange}`, { key })).status).toBe(200);
  },
);
