import { expect, inject, test } from 'vitest';
import { conditionsOf } from '../../server/api/filter-sql.ts';
import { deepPage } from '../../server/content/records/filtered-list.ts';
import { type ListQuery, rowsByContent } from '../../server/content/records/list-query.ts';
import { inOrder, orderOf } from '../../server/content/records/order.ts';
import { sortsOf } from '../../shared/contract/pagination.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { hasOldestDatabase, startOldestDatabase } from '../support/oldest-database.ts';
import { runSlowStatement } from '../support/statistics.ts';

// Deep pages of a search, compared with the same part of the completely sorted result.

/** Sites with their number of posts, and SQL of the publication time of post `n`. Many posts share a time. */
const sites: Record<string, { posts: number; moment: string }> = {
  none: { posts: 0, moment: 'now()' },
  one: { posts: 1, moment: 'now()' },
  'all at one moment': { posts: 40, moment: `timestamptz '2026-01-01'` },
  'within seconds': {
    posts: 60,
    moment: `timestamptz '2026-01-01' + floor(random() * 20) * interval '0.3 s'`,
  },
  'over centuries': {
    posts: 60,
    moment: `timestamptz '0001-01-01' + floor(random() * 40) * interval '240 years'`,
  },
  'many at once, after few long ago': {
    posts: 1_500,
    moment: `case when n <= 5 then timestamptz '2001-01-01' + n * interval '100 days' else timestamptz '2026-01-01' + n % 9 * interval '1 s' end`,
  },
};

const filters = [
  { q: 'common' },
  { q: 'common', tag: 'tag-1' },
  { tag: 'tag-2' },
  { q: 'rare', featured: true },
  { q: 'nowhere' },
];

const orders = sortsOf(resources.posts.fields)
  .map(orderOf)
  .filter(({ isByTime: isOfMoments }) => isOfMoments);

async function expectSameParts(serverUrl: string) {
  await using app = await startApp({ serverUrl });
  for (const [siteId, { posts, moment: timestamp }] of Object.entries(sites)) {
    await addPosts(app, siteId, { posts, moment: timestamp });
    const collection = { deps: app.deps, siteId, resource: resources.posts };
    for (const filter of filters) {
      const conditions = conditionsOf(resources.posts.fields, filter);
      for (const order of orders) await expectParts({ collection, audience: 'readers', conditions }, order);
    }
  }
}

function addPosts(
  app: TestApp,
  siteId: string,
  { posts, moment: timestamp }: { posts: number; moment: string },
) {
  return runSlowStatement(
    app,
    `
    insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
    select '${siteId}', lpad(n::text, 15, '0'), 'Post', 'post-' || n, 'common ' || case when n % 3 = 0 then 'rare' else '' end,
      '', case when n % 7 = 0 then 'private' else 'public' end, n % 11 = 0, case when n % 4 > 0 then ${timestamp} end, n % 2 = 0, array['tag-' || n % 3], 'free', '', '', '',
      ${timestamp}, ${timestamp}
    from generate_series(1, ${posts}) n order by random()`,
  );
}

async function expectParts(listQuery: ListQuery, order: ReturnType<typeof orderOf>) {
  const rows = await inOrder(rowsByContent(listQuery).select('id'), order).execute();
  const ids = rows.map(({ id }) => id);
  const offsets = Array.from({ length: ids.length + 2 }, (_, offset) => offset);
  const step = Math.ceil(offsets.length / 12);
  const limit = 1 + (ids.length % 9);
  const parts = offsets
    .filter((offset) => offset % step === 0)
    .map(async (offset) => {
      const part = await deepPage(listQuery, { order, limit, offset }).executeTakeFirstOrThrow();
      expect([offset, part]).toEqual([offset, { ids: ids.slice(offset, offset + limit), total: ids.length }]);
    });
  await Promise.all(parts);
}

test('a deep page of a search has the same records in the same order as the sorted result', () =>
  expectSameParts(inject('databaseUrl')));

test.runIf(hasOldestDatabase)('deep pages are correct on the oldest supported PostgreSQL', async () => {
  await using oldest = await startOldestDatabase();
  await expectSameParts(oldest.url);
});

test('pages continue past 10,000 matches to the end and beyond, in every order', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ siteId, scopes: ['read:content'] });
  await addPosts(app, siteId, {
    posts: 15_200,
    moment: `timestamptz '2026-01-01' + n / 3 * interval '1 minute'`,
  });
  const listQuery: ListQuery = {
    collection: { deps: app.deps, siteId, resource: resources.posts },
    audience: 'readers',
    conditions: conditionsOf(resources.posts.fields, { q: 'common' }),
  };
  for (const sort of sortsOf(resources.posts.fields)) {
    const rows = await inOrder(rowsByContent(listQuery).select('id'), orderOf(sort)).execute();
    expect(rows.length).toBeGreaterThan(10_400);
    for (let page = 50; page <= Math.ceil(rows.length / 200) + 1; page++) {
      const path = `/api/v2/posts?q=common&fields=id&per_page=200&sort=${sort}&page=${page}`;
      const { body } = await app.get(path, { key });
      const items = rows.slice((page - 1) * 200, page * 200);
      expect(body).toMatchObject({ total: rows.length });
      expect(body).toHaveProperty('items', items);
    }
  }
});
