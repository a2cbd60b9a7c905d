import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { post } from '../../shared/contract/resources/post.ts';
import { startApp } from '../support/app.ts';
import { addRecords } from '../support/attacks/attacker.ts';
import { createVisitor } from '../support/visitor.ts';

const count = 4_500;

async function startLargeSite() {
  const app = await startApp();
  const siteId = await app.seed.ownSite();
  const isPublic = { is_draft: false, published_at: '2025-01-01T00:00:00Z' };
  await addRecords({ deps: app.deps, siteId }, post, { count, title: 'A post', ...isPublic });
  return Object.assign(app, { visit: createVisitor(app.baseUrl) });
}

const parser = new XMLParser({ isArray: (name) => name === 'url' || name === 'sitemap' });

test('a sitemap of many URLs is an index of parts, which contain each URL once', async () => {
  await using app = await startLargeSite();
  const { sitemapindex } = parser.parse((await app.visit('/sitemap.xml')).text) as {
    sitemapindex: { sitemap: { loc: string }[] };
  };
  const slugs: string[] = [];
  for (const { loc } of sitemapindex.sitemap) {
    const { pathname, search } = new URL(loc);
    const { status, text } = await app.visit(pathname + search);
    expect(status).toBe(200);
    const { urlset } = parser.parse(text) as { urlset: { url: { loc: string }[] } };
    expect(urlset.url.length).toBeLessThanOrEqual(2_000);
    slugs.push(...urlset.url.map((url) => url.loc.replace(/^.*\//, '')));
  }
  expect(sitemapindex.sitemap).toHaveLength(4);
  const named = slugs.filter((slug) => slug.startsWith('r-'));
  expect(new Set(named).size).toBe(count);
  expect(named).toHaveLength(count);
});

test.for(['nothing', 'posts', 'posts-', 'posts-zzzzzzzzzzzzzzz', 'talks-000000000000001', 'posts-../x'])(
  'the sitemap has no part called %s',
  async (part) => {
    await using app = await startApp();
    await app.seed.ownSite();
    const { status } = await createVisitor(app.baseUrl)(`/sitemap.xml?part=${encodeURIComponent(part)}`);
    expect(status).toBe(404);
  },
);

test('concurrent requests for a page share one rendering', async () => {
  await using app = await startLargeSite();
  const { responses } = app.deps;
  const keep = responses.keep.bind(responses);
  const made: string[] = [];
  responses.keep = (key, value, bytes) => {
    if (key.question.startsWith('page ')) made.push(key.question);
    keep(key, value, bytes);
  };
  const answers = await Promise.all(Array.from({ length: 10 }, () => app.visit('/posts')));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1);
  expect(made).toHaveLength(1);
});
