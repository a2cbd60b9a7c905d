import { afterAll, expect, test } from 'vitest';
import { conditionsOf } from '../../server/api/filter-sql.ts';
import { deepPage, partQuery } from '../../server/content/records/filtered-list.ts';
import { orderOf } from '../../server/content/records/order.ts';
import { sortsOf } from '../../shared/contract/pagination.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import type { Values } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { gatherNoStatistics } from '../support/statistics.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['read', 'read:content'] });

/** Number of posts that makes PostgreSQL search for common words along the index of the list. */
const posts = 6_000;
/** Number of the first post without the word `early`, which all posts before it contain. */
const late = 5_800;
await gatherNoStatistics(app.deps.database);
await addPosts(siteId);

/** Adds posts in parts, because a statement must end before its timeout. */
async function addPosts(site: string) {
  for (let first = 1; first <= posts; first += 1_000)
    await app.deps.database.em.execute(`
  insert into posts (site_id, id, title, slug, content, excerpt, visibility, is_draft, published_at, featured, tags, access_tier, cover, meta_title, meta_description, created, updated)
  select '${site}', lpad(n::text, 15, '0'), 'Post ' || n % 7, 'post-' || n, case when n < ${late} then 'early ' else '' end || repeat(md5(n::text) || ' common words ', 45),
    '', case when n % 3 = 0 then 'private' else 'public' end, n % 5 = 0, now(), false, array['tag-' || n % 2], 'free', '', '', '',
    timestamptz '2026-01-01' + n / 3 * interval '1 minute', now()
  from generate_series(${first}, ${first + 999}) n`);
}

/** Columns by the parameter that filters on them. */
const columns: Record<string, string> = { q: 'search', tag: 'tags' };

const found = Array.from({ length: posts }, (_, n) => n + 1).filter((n) => n % 3 && n % 5);
const idOf = (n: number) => String(n).padStart(15, '0');

test('every post with a common word is found once, page by page, in any order', async () => {
  for (const sort of ['created', '-created', 'title', '-title', 'updated']) {
    const ids: unknown[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const path = `/api/v1/posts?q=common&fields=id&limit=100&sort=${sort}&cursor=${cursor}`;
      const { body } = await app.get(path, { key });
      const page = body as { data: Values[]; total: number; next_cursor?: string };
      expect(page.total).toBe(found.length);
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(ids.toSorted()).toEqual(found.map(idOf));
  }
});

test('a word that only older posts contain is found, page by page', async () => {
  const early = found.filter((n) => n < late).reverse();
  const first = await app.get('/api/v1/posts?q=early&fields=id&limit=10', { key });
  expect(first.body).toMatchObject({
    total: early.length,
    data: early.slice(0, 10).map((n) => ({ id: idOf(n) })),
  });
  const numbered = await app.get('/api/v2/posts?q=early&fields=id&per_page=10&page=4', { key });
  expect(numbered.body).toMatchObject({ items: early.slice(30, 40).map((n) => ({ id: idOf(n) })) });
});

test('numbered pages list matches of a common word from newest to oldest, and nothing past the end', async () => {
  const page = async (n: number) =>
    (await app.get(`/api/v2/posts?q=common&tag=tag-1&fields=id&per_page=200&page=${n}`, { key })).body as {
      items: Values[];
      total: number;
    };
  const tagged = found.filter((n) => n % 2).reverse();
  const pages = await Promise.all(
    Array.from({ length: Math.ceil(tagged.length / 200) }, (_, n) => page(n + 1)),
  );
  expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(tagged.map(idOf));
  expect(await page(99)).toMatchObject({ items: [], total: tagged.length });
});

test.for(['not gathered', 'gathered', 'older than the site'])(
  'a search uses its index if statistics are %s',
  async (statistics) => {
    const db = app.deps.database;
    if (statistics !== 'not gathered') await db.em.execute('vacuum analyze posts');
    if (statistics === 'older than the site') await addPosts('a-new-site');
    const site = statistics === 'older than the site' ? 'a-new-site' : siteId;
    const collection = { deps: app.deps, siteId: site, resource: resources.posts };
    const orders = sortsOf(resources.posts.fields).map(orderOf);
    for (const filter of [{ q: 'common' }, { tag: 'tag-1' }, { q: 'common', tag: 'tag-1' }]) {
      const conditions = conditionsOf(resources.posts.fields, filter);
      const listQuery = { collection, audience: 'readers' as const, conditions };
      for (const order of orders) {
        const plan = JSON.stringify(await partQuery(listQuery, { order, limit: 20 }).explain('json'));
        const condition = /"Index Cond":"(?:[^"\\]|\\.)*"/.exec(plan)?.[0];
        expect(plan).toContain('posts_narrowed_idx');
        expect(plan).not.toContain('Seq Scan');
        // Records near the page are read in the order of the list's index. A bitmap scan would have to sort all of them.
        expect(plan).toMatch(/"Index Scan"[^{}]*posts_list_/);
        expect(plan).not.toMatch(/"Bitmap Index Scan"[^{}]*posts_list_/);
        for (const name of Object.keys(filter)) expect(condition).toContain(columns[name]);
        if (order.isByTime)
          await expectDeepPagePlan(deepPage(listQuery, { order, limit: 20, offset: 1_000 }));
      }
    }
  },
);

/** Expects that matches are counted without sorting, and that records near the page are read from the list's index. */
async function expectDeepPagePlan(far: ReturnType<typeof deepPage>) {
  const plan = JSON.stringify(await far.explain('json'));
  const timestamps = String.raw`(?:\w+|COALESCE\(published_at, created\))`;
  // PostgreSQL 18 shows the bound as a subplan in parentheses, 15 as a parameter.
  expect(
    plan.match(
      new RegExp(`posts_list_[^{}]*"Index Cond":"[^"]*\\\\"POSIX\\\\"[^"]*${timestamps}\\)? >= [($]`, 'g'),
    ),
  ).toHaveLength(2);
  expect(plan).not.toMatch(/Seq Scan|"Bitmap Index Scan"[^{}]*posts_list_/);
}

test('readers without access to the body find a word only in title and excerpt', async () => {
  const writer = await app.seed.key();
  const post = { title: 'Gated', content: 'xylophone', excerpt: 'glockenspiel', access_tier: 'paid' };
  await app.post('/api/v1/posts', { key: writer, body: post });
  const count = async (q: string) => ((await app.get(`/api/v1/posts?q=${q}`, { key })).body as Values).total;
  expect([await count('xylophone'), await count('glockenspiel')]).toEqual([0, 1]);
});

test('a write keeps the stored search index of a record unless it changes a searched field', async () => {
  await using own = await startApp();
  const { posts } = ownerClient(own.baseUrl, await own.seed.ownerToken()).studio;
  const content = Array.from({ length: 1_000 }, (_, position) => `word${position}`).join(' ');
  const { id } = await posts.create.mutate({ title: 'Long', content });
  const em = own.deps.database.em.fork();
  const [table] = await em.execute<[{ name: string }]>(
    "select reltoastrelid::regclass::text as name from pg_class where oid = 'posts'::regclass",
  );
  // IDs of the texts and search vectors that are stored outside of the rows. A value that is written again gets another ID.
  const positions = () => em.execute(`select distinct chunk_id from ${table.name} order by chunk_id`);
  const before = await positions();
  expect(before).not.toEqual([]);
  await posts.update.mutate({ id, featured: true });
  expect(await positions()).toEqual(before);
  await posts.update.mutate({ id, title: 'Longer' });
  expect(await positions()).not.toEqual(before);
});
