import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import { startApp } from '../support/app.ts';
import { temporaryFile } from '../support/archives.ts';
import { recordsOf, type Values } from '../support/content.ts';
import { createVisitor } from '../support/visitor.ts';

// Order of posts for visitors: by the publication date shown with them.

async function startSite() {
  const app = await startApp();
  const visit = createVisitor(app.baseUrl);
  const posts = recordsOf(app, 'posts', await app.seed.key());
  return {
    ...app,
    posts,
    visit,
    /** Adds a post a day after the previous one. */
    async add(values: Values) {
      app.clock.advance({ days: 1 });
      return posts.add({ title: String(values.slug), ...values });
    },
    /** Posts that a page, feed or other document names, in order. */
    async namedAt(path: string) {
      const { status, text } = await visit(path);
      expect([path, status]).toEqual([path, 200]);
      const main = /<main.*<\/main>/s.exec(text)?.[0] ?? text;
      return [...new Set([...main.matchAll(/\/posts\/([a-z0-9-]+)/g)].map(([, slug]) => slug))];
    },
  };
}

const everywhere = [
  '/',
  '/posts',
  '/tags/all',
  '/posts?q=word',
  '/feed.xml',
  '/feed.json',
  '/llms.txt',
  '/sitemap.xml',
];

test('an old draft comes first from the day on which it is published', async () => {
  await using app = await startSite();
  const common = { tags: ['all'], content: 'word' };
  const early = await app.add({ slug: 'early', is_draft: true, ...common });
  for (const slug of ['one', 'two', 'three']) await app.add({ slug, ...common });
  for (const path of everywhere)
    expect([path, await app.namedAt(path)]).toEqual([path, ['three', 'two', 'one']]);

  app.clock.advance({ days: 1 });
  await app.posts.update(early, { is_draft: false });

  for (const path of everywhere)
    expect([path, await app.namedAt(path)]).toEqual([path, ['early', 'three', 'two', 'one']]);
  // The previous post, the next one, and then others.
  expect(await app.namedAt('/posts/two')).toEqual(['one', 'three', 'early']);
  expect(await app.namedAt('/posts/three')).toEqual(['two', 'early', 'one']);
});

test('feeds contain the posts that were published last, however old their drafts are', async () => {
  await using app = await startSite();
  const early = await app.add({ slug: 'early', is_draft: true });
  const others = Array.from({ length: 25 }, (_, n) => `post-${n}`);
  for (const slug of others) await app.add({ slug });
  app.clock.advance({ days: 1 });
  await app.posts.update(early, { is_draft: false });
  const newest = ['early', ...others.toReversed()].slice(0, 20);
  for (const path of ['/feed.xml', '/feed.json']) expect(await app.namedAt(path)).toEqual(newest);
});

test('a post with an earlier date is sorted by that date', async () => {
  await using app = await startSite();
  for (const slug of ['one', 'two', 'three']) await app.add({ slug, tags: ['all'], content: 'word' });
  await app.add({ slug: 'moved', tags: ['all'], content: 'word', published_at: '1999-12-31T00:00:00Z' });
  for (const path of everywhere)
    expect([path, await app.namedAt(path)]).toEqual([path, ['three', 'two', 'one', 'moved']]);
});

test('the pages of the list and of a tag together contain every post once, in order of publication', async () => {
  await using app = await startSite();
  const count = 45;
  const published = (n: number) => new Date(Date.UTC(2020, (n * 17) % count, 1)).toISOString();
  for (let n = 0; n < count; n++)
    await app.add({ slug: `post-${n}`, tags: ['all'], content: 'word', published_at: published(n) });
  const expected = Array.from({ length: count }, (_, n) => n)
    .toSorted((a, b) => published(b).localeCompare(published(a)))
    .map((n) => `post-${n}`);
  for (const path of ['/posts?', '/tags/all?', '/posts?q=word&']) {
    const seen = [];
    for (const page of [1, 2, 3]) seen.push(...(await app.namedAt(`${path}page=${page}`)));
    expect([path, seen]).toEqual([path, expected]);
  }
});

test('a featured post stays at the top of the home page, however many are published later', async () => {
  await using app = await startSite();
  await app.add({ slug: 'pinned', featured: true });
  const others = Array.from({ length: 24 }, (_, n) => `post-${n}`);
  for (const slug of others) await app.add({ slug });
  expect(await app.namedAt('/')).toEqual(['pinned', ...others.toReversed().slice(0, 5)]);
});

test('the latest public featured post is at the top, never a draft or private one', async () => {
  await using app = await startSite();
  const late = await app.add({ slug: 'late', featured: true, is_draft: true });
  await app.add({ slug: 'early', featured: true });
  await app.add({ slug: 'private', featured: true, visibility: 'private' });
  await app.add({ slug: 'plain' });
  expect(await app.namedAt('/')).toEqual(['early', 'plain']);
  app.clock.advance({ days: 1 });
  await app.posts.update(late, { is_draft: false });
  expect(await app.namedAt('/')).toEqual(['late', 'plain', 'early']);
  await app.posts.update(late, { featured: false });
  expect(await app.namedAt('/')).toEqual(['early', 'late', 'plain']);
});

test('a gated featured post is marked as gated at the top of the home page', async () => {
  await using app = await startSite();
  await app.add({ slug: 'gated', featured: true, access_tier: 'paid', content: 'kept from strangers' });
  await app.add({ slug: 'plain' });
  const { text } = await app.visit('/');
  const [first = ''] = /<article class="row first">.*?<\/article>/s.exec(text) ?? [];
  expect(first).toContain('href="/posts/gated"');
  expect(first).toContain('<svg');
  expect(text).not.toContain('kept from strangers');
});

test('imported posts are sorted by their original publication date, or their creation date without one', async () => {
  await using app = await startSite();
  const dates = [
    ['begun-early', '2020-01-01', '2024-06-01'],
    ['undated', '2022-01-01', null],
    ['plain', '2023-01-01', '2023-01-01'],
    ['earlier', '2024-01-01', '2021-01-01'],
  ] as const;
  const posts = dates.map(([slug, created, published], n) => ({
    ...{ id: `66a0c0ffee0000000000000${n}`, title: slug, slug, html: '<p>word</p>', status: 'published' },
    ...{ type: 'post', visibility: 'public', created_at: `${created}T08:00:00.000Z` },
    published_at: published && `${published}T08:00:00.000Z`,
  }));
  const file = JSON.stringify({ db: [{ meta: { version: '6.0.0' }, data: { posts } }] });
  const siteId = await app.seed.ownSite();
  const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;
  const { counts } = await importFile(app.deps, await temporaryFile(file, 'ghost.json'), { siteId, actor });
  expect(counts).toEqual({ created: 4, skipped: 0, refused: 0 });
  const expected = ['begun-early', 'plain', 'undated', 'earlier'];
  for (const path of ['/', '/posts', '/feed.xml', '/feed.json'])
    expect(await app.namedAt(path)).toEqual(expected);
});
