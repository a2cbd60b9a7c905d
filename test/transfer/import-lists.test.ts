import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { ghost, ghostPost, importInto, item, redirectsOf, text } from '../support/old-sites.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Lists of old sites by tag, category, author and section redirect to lists of this site.

const tagged = (domain: string, nicename: string, name: string) =>
  `<category domain="${domain}" nicename="${nicename}"><![CDATA[${name}]]></category>`;

const within = (category: string, parent: string) =>
  `<wp:category><wp:category_nicename><![CDATA[${category}]]></wp:category_nicename>
    <wp:category_parent><![CDATA[${parent}]]></wp:category_parent></wp:category>`;

const post = (id: string, status: string, more: string) =>
  item(
    {
      ...{ title: id, link: `https://tides.example.com/${id}/`, 'wp:post_id': id, 'wp:post_name': id },
      ...{ 'wp:status': status, 'dc:creator': 'ada', 'wp:post_date_gmt': '2024-03-09 10:00:00' },
    },
    more,
  );

const lists: readonly {
  name: string;
  file: () => Promise<string>;
  leads: Readonly<Record<string, string>>;
}[] = [
  {
    name: 'Ghost',
    file: () =>
      temporaryFile(
        ghost({
          posts: [
            { ...ghostPost, html: '<p><a href="__GHOST_URL__/tag/tools/#a">Tools</a></p>' },
            { ...ghostPost, id: '66a0c0ffee00000000000002', slug: 'draft', status: 'draft' },
            { ...ghostPost, id: '66a0c0ffee00000000000003', slug: 'broken' },
          ],
          tags: [
            { id: 't', name: 'Hand tools / C++', slug: 'tools' },
            { id: 'i', name: '#inside', slug: 'hash-inside' },
            { id: 's', name: 'Secret', slug: 'secret' },
            { id: 'b', name: 'Broken \ud83d', slug: 'broken' },
          ],
          posts_tags: [
            { post_id: ghostPost.id, tag_id: 't' },
            { post_id: ghostPost.id, tag_id: 'i' },
            { post_id: '66a0c0ffee00000000000003', tag_id: 'b' },
            { post_id: '66a0c0ffee00000000000002', tag_id: 's' },
          ],
          users: [
            { id: 'u', slug: 'ada' },
            { id: 'v', slug: 'secret' },
          ],
          posts_authors: [
            { post_id: ghostPost.id, author_id: 'u' },
            { post_id: '66a0c0ffee00000000000002', author_id: 'v' },
          ],
        }),
        'ghost.json',
      ),
    leads: {
      '/tag/tools/': '/tags/Hand%20tools%20%2F%20C%2B%2B',
      '/tag/tools/rss/': '/tags/Hand%20tools%20%2F%20C%2B%2B/feed.xml',
      '/tag/tools/page/2/?a=b': '/tags/Hand%20tools%20%2F%20C%2B%2B?a=b',
      '/author/ada/': '/posts',
      '/author/ada/rss': '/feed.xml',
      '/page/2/': '/posts',
    },
  },
  {
    name: 'WordPress',
    file: () =>
      temporaryFile(
        `<rss><channel><link>https://tides.example.com</link>${within('saws', 'hand-tools')}${within('hand-tools', '')}${[
          post(
            'oars',
            'publish',
            `${tagged('category', 'hand-tools', 'Hand tools')}${tagged('category', 'saws', 'Saws')}${tagged('post_tag', 'ash', 'Ash')}<content:encoded><![CDATA[<p>.</p>]]></content:encoded>`,
          ),
          post('draft', 'draft', `${tagged('post_tag', 'secret', 'Secret')}`),
        ].join('')}</channel></rss>`,
        'wordpress.xml',
      ),
    leads: {
      '/category/hand-tools/': '/tags/Hand%20tools',
      '/category/hand-tools/feed/': '/tags/Hand%20tools/feed.xml',
      '/category/hand-tools/saws/': '/tags/Saws',
      '/category/hand-tools/saws/feed/': '/tags/Saws/feed.xml',
      '/tag/ash/page/3/': '/tags/Ash',
      '/author/ada/': '/posts',
      '/page/2': '/posts',
    },
  },
  {
    name: 'Hugo',
    file: () =>
      folderOf({
        'hugo.toml': 'baseURL = "https://example.org/notes/"\n',
        'content/blog/bench.md': text(
          'title: Bench\ntags: [Hand tools & more, rope, C++]\ncategories: [Wood/Joints]',
        ),
        'content/hidden/draft.md': text('title: Draft\ndraft: true\ntags: [Secret thing]'),
      }),
    leads: {
      '/notes/tags/hand-tools-more/': '/tags/Hand%20tools%20%26%20more',
      '/notes/tags/hand-tools-more/index.xml': '/tags/Hand%20tools%20%26%20more/feed.xml',
      '/notes/tags/hand-tools-more/page/2/': '/tags/Hand%20tools%20%26%20more',
      '/notes/tags/rope': '/tags/rope',
      '/notes/tags/c++/': '/tags/C%2B%2B',
      '/notes/categories/wood/joints/': '/tags/Wood%2FJoints',
      '/notes/blog/': '/posts',
      '/notes/blog/index.xml': '/feed.xml',
    },
  },
  {
    name: 'Jekyll',
    file: () =>
      folderOf({
        '_config.yml': 'title: Bench\n',
        '_posts/2024-01-05-bench.md': text('title: Bench\ntags: rope saws\ncategories: [Hand tools]'),
        '_posts/2024-01-06-draft.md': text('title: Draft\npublished: false\ntags: [Secret thing]'),
      }),
    leads: {
      '/categories/hand-tools/': '/tags/Hand%20tools',
      '/categories/hand-tools/page/2': '/tags/Hand%20tools',
    },
  },
  {
    name: 'Jekyll with archives',
    file: () =>
      folderOf({
        '_config.yml': 'jekyll-archives:\n  enabled: all\n  permalinks: {category: "/topics/:name/"}\n',
        '_posts/2024-01-05-bench.md': text('title: Bench\ntags: rope saws\ncategories: [Hand tools]'),
        '_drafts/draft.md': text('title: Draft\ntags: [Secret thing]'),
      }),
    leads: { '/tag/rope/': '/tags/rope', '/topics/hand-tools': '/tags/Hand%20tools' },
  },
];

test.for(lists)('lists of $name redirect to lists here, except lists of drafts alone', async (source) => {
  await using app = await startApp();
  const siteId = await app.seed.site({ subdomain: 'home' });
  const visit = createVisitor(app.baseUrl, 'home.localhost');
  const file = await source.file();
  await importInto(app, file, siteId);

  for (const [from, to] of Object.entries(source.leads)) {
    const { status, headers } = await visit(from);
    expect([from, status, headers.location]).toEqual([from, 301, to]);
    expect((await visit(to)).status).toBe(200);
  }
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const kept = await studio.redirects.list.query({});
  expect(JSON.stringify(kept).toLowerCase()).not.toMatch(/secret|inside/);
  expect((await visit('/tag/secret')).status).toBe(404);
  expect((await visit('/nowhere/page/2')).status).toBe(404);
  if (source.name === 'Ghost')
    expect(await rowsOf(app, "select content from posts where slug = 'bench'")).toEqual([
      { content: '<p><a href="/tag/tools/#a">Tools</a></p>' },
    ]);

  const [from = ''] = Object.keys(source.leads);
  const list = kept.items.find((each) => each.from === from.replace(/\/$/, ''));
  await studio.redirects.delete.mutate({ id: list?.id ?? '' });
  await importInto(app, file, siteId);
  expect((await studio.redirects.list.query({})).total).toBe(kept.total - 1);
});

test("numbered pages of old lists redirect like their list, never in a circle, unless an owner's redirect differs", async () => {
  await using app = await startApp();
  const siteId = await app.seed.site({ subdomain: 'home' });
  const visit = createVisitor(app.baseUrl, 'home.localhost');
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const lead = (from: string, to: string) => studio.redirects.create.mutate({ from, to });
  expect((await visit('/page/2')).headers.location).toBe('/posts');
  await lead('/page/2', '/about');
  await lead('/x', '/x/page/2');
  await lead('/a', '/b/page/2');
  await lead('/b', '/a/page/2');
  expect((await visit('/page/2')).headers.location).toBe('/about');
  for (const path of ['/x/page/2', '/a/page/2', '/b/page/2']) expect((await visit(path)).status).toBe(404);
});

test('a Jekyll site in a folder uses that folder neither as tag nor in addresses, and has lists only for names', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site();
  const folder = await folderOf({
    'repo/docs/_config.yml':
      'source: src\njekyll-archives:\n  enabled: all\n  permalinks: {tag: /topics/, category: "/:type/:name/"}\n',
    'repo/docs/src/_posts/2020-01-01-a.md': text('title: A\ntags: [go]\ncategories: [wood]'),
    'repo/docs/src/travel/_posts/2020-01-02-b.md': text('title: B'),
    'repo/README.md': 'Read me',
  });
  await importInto(app, folder, siteId);
  const tags = await rowsOf(app, 'select slug, tags from posts order by slug');
  expect(tags).toEqual([
    { slug: 'a', tags: ['go', 'wood'] },
    { slug: 'b', tags: ['travel'] },
  ]);
  const begins = await rowsOf(app, `select "from" from redirects where "from" !~ '/20[0-9]{2}/'`);
  expect(begins).toEqual([]);
  expect(await redirectsOf(app, siteId)).toContain('/travel/2020/01/02/b -> b');
});

test('Hugo lists are recognized in any folder, with any number of sections; pages are not lists', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site();
  const sections = Array.from({ length: 520 }, (_, n) => [`blog/content/s${n}/_index.md`, '']);
  const site = {
    'blog/hugo.toml': 'title = "Home"\n',
    'blog/migrate/my.ghost.2020-01-01.json': ghost({ posts: [ghostPost] }),
    'blog/content/about/index.md': text('title: Me\nurl: /me/'),
    'blog/content/go/a.md': text('title: A\ndate: 2020-01-01'),
    ...Object.fromEntries(sections),
  };
  await importInto(app, await folderOf(site), siteId);
  const later = {
    'blog/hugo.toml': 'title = "Home"\n',
    'blog/content/b.md': text('title: B\ndate: 2020-01-01\ntags: [Go]'),
  };
  await importInto(app, await folderOf(later), siteId);
  const shown = await rowsOf(app, 'select title from posts where not is_draft order by title');
  expect(shown).toEqual([{ title: 'A' }, { title: 'B' }, { title: 'Me' }]);
  const begins = await rowsOf(app, `select "from" from redirects where collection = '' order by 1`);
  expect(begins).toEqual(
    ['/go', '/go/index.xml', '/tags/go', '/tags/go/index.xml'].map((from) => ({ from })),
  );
});
