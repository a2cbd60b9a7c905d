import { afterAll, expect, test } from 'vitest';
import { sorts } from '../../shared/contract/pagination.ts';
import { startApp } from '../support/app.ts';
import { recordsOf, restResources, type Values } from '../support/content.ts';

// Tests docs/reference/lists.md on every list.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();

const paged = restResources.filter((resource) => resource.paged);
const unpaged = restResources.filter((resource) => !resource.paged);

interface Page {
  data: Values[];
  total: number;
  count: number;
  per_page: number;
  next_cursor?: string;
}

const page = async (collection: string, query: string, by = key) => {
  const { status, body } = await app.get(`/api/v1/${collection}?${query}`, { key: by });
  if (status !== 200) throw new Error(`${collection}?${query} answered ${status}: ${JSON.stringify(body)}`);
  return body as Page;
};

test('the lists of posts, projects and courses are paginated, all others are complete', () => {
  expect(paged.map(({ collection }) => collection)).toEqual(['posts', 'projects', 'courses']);
});

test.for(paged)(
  '$collection: every order returns each record once while others are added',
  async (resource) => {
    const { collection, min: minimal } = resource;
    const records = recordsOf(app, collection, key);
    const ids = await addTied(collection, minimal);
    for (const sort of sorts) {
      const seen: Values[] = [];
      let cursor = '';
      do {
        const { data, next_cursor } = await page(collection, `limit=7&sort=${sort}&cursor=${cursor}`);
        seen.push(...data);
        cursor = next_cursor ?? '';
        if (seen.length < 30) await records.add({ ...minimal, title: `between ${seen.length}` });
      } while (cursor);
      const positions = seen.filter(({ id }) => ids.has(String(id)));
      expect(positions.map(({ id }) => id)).toHaveLength(ids.size);
      expect(new Set(positions.map(({ id }) => id)).size).toBe(ids.size);
      expect(seen).toEqual(seen.toSorted(inOrder(sort)));
    }
  },
);

test.for(paged)('$collection: a cursor stays valid if its record was deleted', async (resource) => {
  const { collection, min: minimal } = resource;
  const siteId = await app.seed.site();
  const own = await app.seed.key({ siteId });
  const records = recordsOf(app, collection, own);
  const made = ['a', 'b', 'c', 'd', 'e'].map((title) => records.add({ ...minimal, title }));
  await Promise.all(made);
  const first = await page(collection, 'sort=title&limit=2', own);
  await records.remove(String(first.data[1]?.id));
  const second = await page(collection, `sort=title&limit=2&cursor=${first.next_cursor}`, own);
  expect(second.data.map(({ title }) => title)).toEqual(['c', 'd']);
});

test.for(paged)(
  '$collection: total, count, per_page and next_cursor describe the position of a page',
  async (resource) => {
    const { collection, min: minimal } = resource;
    const siteId = await app.seed.site();
    const own = await app.seed.key({ siteId });
    const path = `/api/v1/${collection}`;
    const empty = { data: [], total: 0, count: 0, per_page: 20 };
    expect(await app.get(path, { key: own })).toEqual({ status: 200, body: empty });
    const records = recordsOf(app, collection, own);
    await Promise.all(['a', 'b', 'c', 'd'].map((title) => records.add({ ...minimal, title })));
    await records.add({ ...minimal, title: 'e', visibility: 'private' });
    const all = (await page(collection, 'sort=title', own)).data;
    const [a, b, c, d] = all;
    const next_cursor = expect.stringMatching(/^[\w-]+$/);
    const first = await page(collection, 'sort=title&limit=3', own);
    expect(first).toEqual({ data: [a, b, c], total: 4, count: 3, per_page: 3, next_cursor });
    const rest = await page(collection, `sort=title&limit=3&cursor=${first.next_cursor}`, own);
    expect(rest).toEqual({ data: [d], total: 4, count: 1, per_page: 3 });
    expect(await page(collection, 'sort=title&limit=4', own)).toEqual({
      data: all,
      total: 4,
      count: 4,
      per_page: 4,
    });
  },
);

test.for(paged)('$collection: titles are sorted case-insensitively, as ICU does', async (resource) => {
  const { collection, min: minimal } = resource;
  const siteId = await app.seed.site();
  const own = await app.seed.key({ siteId });
  const records = recordsOf(app, collection, own);
  const ordered = ['1', '2', '10', 'a', 'A', 'ä', 'aa', 'B', 'c', 'É', 'eé', 'Z', 'z1', 'я', '漢'];
  for (const title of ordered.toReversed()) await records.add({ ...minimal, title });
  const icu = ordered.toSorted(new Intl.Collator('und').compare);
  const titles = async (sort: string) =>
    (await page(collection, `sort=${sort}`, own)).data.map(({ title }) => title);
  expect(await titles('title')).toEqual(icu);
  expect(await titles('-title')).toEqual(icu.toReversed());
});

test.for(paged)(
  '$collection: an invalid cursor, or one of another order, restarts at the first page',
  async (resource) => {
    const { collection, min: minimal } = resource;
    const records = recordsOf(app, collection, key);
    await Promise.all([records.add(minimal), records.add(minimal), records.add(minimal)]);
    const opaque = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const ofAnotherOrder = (await page(collection, 'limit=1&sort=title')).next_cursor;
    const { next_cursor } = await page(collection, 'limit=1');
    const id = 'a'.repeat(15);
    const strange = [
      '',
      '0',
      'null',
      '!!!',
      '%00',
      '漢字',
      ofAnotherOrder,
      next_cursor?.slice(1),
      next_cursor?.slice(0, -3),
      opaque(null),
      opaque([]),
      opaque({}),
      opaque('-created'),
      opaque(['-created']),
      opaque(['-created', '2026-01-31T09:05:00.123Z']),
      opaque(['-created', '2026-01-31', id]),
      opaque(['-created', 'yesterday', id]),
      opaque(['-created', 1, id]),
      opaque(['-created', '2026-01-31T09:05:00.123Z', 'A']),
      opaque(['-created', '2026-02-30T09:05:00.123Z', id]),
      opaque(['-created; drop table posts', '2026-01-31T09:05:00.123Z', id]),
      `${'['.repeat(3_000)}`,
    ];
    const first = await page(collection, 'limit=1');
    for (const cursor of strange) {
      expect([cursor, await page(collection, `limit=1&cursor=${cursor}`)]).toEqual([cursor, first]);
    }
    const nul = opaque(['title', 'a\0b', id]);
    const half = opaque(['title', '\ud800', id]);
    const firstByTitle = await page(collection, 'limit=1&sort=title');
    for (const cursor of [nul, half]) {
      expect(await page(collection, `limit=1&sort=title&cursor=${cursor}`)).toEqual(firstByTitle);
    }
  },
);

test.for(paged)('$collection: a cursor works with any title, and with another limit', async (resource) => {
  const { collection, min: minimal } = resource;
  const own = await app.seed.key({ siteId: await app.seed.site() });
  const records = recordsOf(app, collection, own);
  const titles = ['漢'.repeat(200), '🎉'.repeat(100), '"\\\u0001', "it's", 'a', 'A'];
  await Promise.all(titles.map((title) => records.add({ ...minimal, title })));
  const all = (await page(collection, 'sort=title', own)).data;
  const walked: Values[] = [];
  let cursor = '';
  for (const limit of [1, 2, 1, 2]) {
    const { data, next_cursor = '' } = await page(
      collection,
      `sort=title&limit=${limit}&cursor=${cursor}`,
      own,
    );
    walked.push(...data);
    cursor = next_cursor;
  }
  expect(walked).toEqual(all);
});

test.for(unpaged)(
  '$collection: the unpaged list contains all records, and ignores limit, sort and cursor',
  async (resource) => {
    const { collection, min: minimal } = resource;
    const own = await app.seed.key({ siteId: await app.seed.site() });
    const records = recordsOf(app, collection, own);
    expect(await app.get(`/api/v1/${collection}`, { key: own })).toEqual({ status: 200, body: { data: [] } });
    await Promise.all(Array.from({ length: 25 }, () => records.add(minimal)));
    const whole = await app.get(`/api/v1/${collection}`, { key: own });
    expect((whole.body as Page).data).toHaveLength(25);
    expect(await app.get(`/api/v1/${collection}?limit=1&sort=title&cursor=x`, { key: own })).toEqual(whole);
  },
);

/** Adds 40 records with equal values in every order, and returns their IDs. */
async function addTied(collection: string, minimal: Values) {
  const records = recordsOf(app, collection, key);
  const titles = ['Same', 'same', 'Älter', 'zebra'];
  const ids: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    ids.push(...(await Promise.all(titles.map((title) => records.add({ ...minimal, title })))));
    if (round % 3 === 0) app.clock.advance({ ms: 1 });
  }
  await Promise.all(
    ids.filter((_, index) => index % 3 === 0).map((id) => records.update(id, { visibility: 'public' })),
  );
  return new Set(ids);
}

/** Returns a comparison function for `sort`: by its field, then by ID. */
function inOrder(sort: (typeof sorts)[number]) {
  const field = sort.replace('-', '');
  const direction = sort.startsWith('-') ? -1 : 1;
  const { compare } = new Intl.Collator('und');
  const byCode = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return (a: Values, b: Values) => {
    const compared = (field === 'title' ? compare : byCode)(String(a[field]), String(b[field]));
    return direction * (compared || byCode(String(a.id), String(b.id)));
  };
}
