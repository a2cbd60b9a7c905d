import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { pictureElement } from '../support/images.ts';
import { ghost, ghostPost, importInto, item, redirectsOf, text } from '../support/old-sites.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { zipOf } from '../support/zips.ts';

const sources: readonly {
  name: string;
  make: () => Promise<string>;
  redirects: readonly string[];
  notes?: readonly string[];
}[] = [
  {
    name: 'Ghost',
    make: () =>
      temporaryFile(
        ghost({
          posts: [
            ghostPost,
            { ...ghostPost, id: '66a0c0ffee00000000000002', slug: 'about', type: 'page', title: 'About' },
          ],
          settings: [{ id: '1', key: 'permalinks', value: '/:year/:month/:slug/' }],
        }),
        'ghost.json',
      ),
    redirects: ['/2024/05/bench -> bench', '/bench -> bench'],
  },
  {
    name: 'Ghost with routes',
    make: () =>
      temporaryFile(
        zipOf({
          'data/export.json': ghost({
            posts: [ghostPost],
            tags: [{ id: 't', name: 'Hand tools', slug: 'tools' }],
            posts_tags: [{ post_id: ghostPost.id, tag_id: 't' }],
          }),
          'settings/routes.yaml':
            'collections:\n  /blog/:\n    permalink: /blog/{primary_tag}/{slug}/\n  /x/:\n    permalink: /x/{primary_author}/{slug}/\n',
        }),
        'ghost.zip',
      ),
    redirects: ['/bench -> bench', '/blog/tools/bench -> bench'],
  },
  {
    name: 'WordPress',
    make: () =>
      temporaryFile(
        `<rss><channel><link>https://tides.example.com</link>${[
          item({
            title: 'Oars',
            link: 'https://tides.example.com/2024/03/oars/',
            'wp:post_id': '1',
            'wp:post_name': 'oars',
          }),
          item({
            title: 'Plain',
            link: 'https://tides.example.com/?p=2',
            'wp:post_id': '2',
            'wp:post_name': 'plain',
          }),
          item({
            title: 'About',
            link: 'https://tides.example.com/about/',
            'wp:post_id': '3',
            'wp:post_name': 'about',
            'wp:post_type': 'page',
          }),
          item({
            title: 'Team',
            link: 'https://tides.example.com/about/team/',
            'wp:post_id': '4',
            'wp:post_name': 'team',
            'wp:post_type': 'page',
          }),
        ].join('')}</channel></rss>`,
        'wordpress.xml',
      ),
    redirects: ['/2024/03/oars -> oars', '/about/team -> team'],
    notes: ['No redirect created: the old URL has only a query and no path (?p=2)'],
  },
  {
    name: 'Jekyll',
    make: () =>
      folderOf({
        '_config.yml':
          'baseurl: ""\ndefaults:\n  - scope: {path: "", type: posts}\n    values: {layout: post}\n',
        '_posts/2024-01-05-first.md': text(
          'title: First\ncategories: [Wood, tools]\nredirect_from: [/first-old/, /p/1.html]',
        ),
        '_posts/2024-01-06-second.md': text('title: Second\npermalink: /s/:year/:title/'),
        '_posts/2024-01-07-third.md': text('title: Third\npermalink: /s/:unknown/'),
        'about.md': text('title: About'),
      }),
    redirects: [
      '/about -> about',
      '/about.html -> about',
      '/first-old -> first',
      '/p/1 -> first',
      '/p/1.html -> first',
      '/s/2024/second -> second',
      '/wood/tools/2024/01/05/first -> first',
      '/wood/tools/2024/01/05/first.html -> first',
    ],
    notes: ['No redirect created: the old URL cannot be derived from its pattern /s/:unknown/'],
  },
  {
    name: 'Jekyll with a permalink for all',
    make: () =>
      folderOf({
        '_config.yml': 'permalink: pretty\nbaseurl: /blog\n',
        '_posts/2024-01-05-first.md': text('title: First'),
      }),
    redirects: ['/blog/2024/01/05/first -> first'],
  },
  {
    name: 'Hugo',
    make: () =>
      folderOf({
        'hugo.toml': 'baseURL = "https://example.org/"\n[permalinks]\nnotes = "/n/:year/:slug/"\n',
        'content/posts/First Loaf.md': text('title: First\nslug: loaf\naliases: [/old/loaf/, older]'),
        'content/blog/second/index.md': text('title: Second'),
        'content/about.md': text('title: About\nurl: /me.html'),
        'content/notes/third.md': text('title: Third\ndate: 2024-02-03'),
      }),
    redirects: [
      '/blog/second -> second',
      '/me -> about',
      '/me.html -> about',
      '/n/2024/third -> third',
      '/old/loaf -> loaf',
      '/posts/older -> loaf',
    ],
  },
  {
    name: 'Eleventy',
    make: () =>
      folderOf({
        'eleventy.config.js': 'export default {};',
        'content/blog/2024-01-05-first.md': text('title: First'),
        'content/second.md': text('title: Second\npermalink: "/two/{{ page.fileSlug }}/index.html"'),
        'third.md': text('title: Third\npermalink: "/{{ tags | join }}/"'),
      }),
    redirects: ['/blog/first -> first', '/two/second -> second'],
    notes: ['No redirect created: the old URL cannot be derived from its pattern /{{ tags | join }}/'],
  },
  {
    name: 'Astro',
    make: () =>
      folderOf({
        'astro.config.mjs': 'export default {};',
        'src/content/blog/first.md': text('title: First post'),
        'src/pages/about.md': text('title: About us'),
      }),
    redirects: ['/about -> about-us', '/blog/first -> first-post'],
  },
];

test.for(sources)(
  'old addresses of $name redirect to the imported content',
  async ({ make, redirects, notes = [] }) => {
    await using app = await startApp();
    const siteId = await app.seed.ownSite();
    const reasons = await importInto(app, await make(), siteId);
    expect(await redirectsOf(app, siteId)).toEqual(redirects);
    for (const note of notes) expect(reasons).toContainEqual(expect.stringContaining(note));
  },
);

test('the old address of a draft redirects from its publication on', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site({ subdomain: 'home' });
  const visit = createVisitor(app.baseUrl, 'home.localhost');
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const folder = await folderOf({ 'a.md': text('title: A\ndraft: true\naliases: [/old]') });
  await importInto(app, folder, siteId);
  expect((await visit('/old')).status).toBe(404);
  const [post] = (await studio.posts.list.query({})).items;
  await studio.posts.update.mutate({ id: post?.id ?? '', is_draft: false });
  expect((await visit('/old')).headers.location).toBe('/posts/a');
  await importInto(app, folder, siteId);
  expect((await studio.redirects.list.query({})).total).toBe(1);
});

test('an import creates only as many redirects as a site may have, and reports the others by record', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const aliases = (count: number, of: string) =>
    Array.from({ length: count }, (_, at) => `/${of}/${at}`).join(', ');
  const folder = await folderOf({
    'a.md': text(`title: A\naliases: [${aliases(4_000, 'a')}]`),
    'b.md': text(`title: B\naliases: [${aliases(4_000, 'b')}]`),
    'c.md': text(`title: C\naliases: [${aliases(4_000, 'c')}]`),
  });
  const reasons = await importInto(app, folder, siteId);
  expect(await redirectsOf(app, siteId)).toHaveLength(10_000);
  expect(reasons).toEqual(['Redirects not created: a site can have at most 10000 redirects']);
});

test.for([
  [
    'redirects.yaml',
    '301:\n  /Old-bench/: /bench/\n  ^/2019\\/saw\\.html$: https://saws.example/a\n  /a/(.*): /b/$1\n302:\n  /soon: /about/?x=1\n',
  ],
  [
    'redirects.json',
    JSON.stringify([
      { from: '/Old-bench/', to: '/bench/', permanent: true },
      { from: '^/2019\\/saw\\.html$', to: 'https://saws.example/a', permanent: true },
      { from: '/a/(.*)', to: '/b/$1', permanent: true },
      { from: '/soon', to: '/about/?x=1' },
    ]),
  ],
] as const)(
  'a Ghost backup imports posts, images and redirects (%s) except patterns, and ignores texts in themes',
  async ([name, redirects]) => {
    await using app = await startApp();
    const siteId = await app.seed.site({ subdomain: 'home' });
    const files = {
      'data/content-from-v5.82.2-on-2024-07-30-10-00-00.json': ghost({
        posts: [{ ...ghostPost, feature_image: '__GHOST_URL__/content/images/2024/05/bench.jpg' }],
      }),
      'data/members-from-v5.82.2-on-2024-07-30-10-00-00.csv': 'email\na@example.com\n',
      'images/2024/05/bench.jpg': await pictureElement('jpeg'),
      [`settings/${name}`]: redirects,
      'themes/own/README.md': '# Own',
      'themes/own/assets/images/own.svg': '<svg/>',
      'themes/own/package.json': '{}',
    };
    const reasons = await importInto(app, await temporaryFile(zipOf(files), 'ghost.zip'), siteId);

    expect(await rowsOf(app, 'select m.name from posts p join media m on m.id = p.cover')).toEqual([
      { name: 'bench.jpg' },
    ]);
    const rows = `select "from", coalesce(p.slug, "to") as to, permanent from redirects
      left join posts p on p.id = record_id order by "from" collate "C"`;
    expect(await rowsOf(app, rows)).toEqual([
      { from: '/2019/saw.html', to: 'https://saws.example/a', permanent: true },
      { from: '/Old-bench', to: 'bench', permanent: true },
      { from: '/bench', to: 'bench', permanent: true },
      { from: '/soon', to: '/about?x=1', permanent: false },
    ]);
    expect(reasons).toEqual([
      'Not imported: import this list of people as a separate file',
      'Not imported: no post or page uses this file',
      'Not imported: no post or page uses this file',
      'Not imported: its source is a pattern, add redirects for single paths (target: /b/$1)',
      'Target changed to the final one: /bench is redirected itself',
    ]);
  },
);

test('invalid redirects of Ghost are reported, and paths with and without trailing slash are equal', async () => {
  await using app = await startApp();
  const siteId = await app.seed.site({ subdomain: 'home' });
  const given = async (redirects: object) => {
    const files = {
      'export.json': ghost({ posts: [ghostPost] }),
      'redirects.json': JSON.stringify(redirects),
    };
    return importInto(app, await temporaryFile(zipOf(files), 'ghost.zip'), siteId);
  };
  const unread = 'Not imported: the redirect has no source or no target';
  expect(await given({ 301: 'abc', 302: { '^\\/C\\/?$': '/d', '/e?$': '/f', '/g': 5 } })).toEqual([
    unread,
    'Not imported: its source is a pattern, add redirects for single paths (target: /f)',
    unread,
  ]);
  expect(await given([{ from: '/h' }, 'i'])).toEqual(expect.arrayContaining([unread, unread]));
  expect(
    await rowsOf(app, `select "from", "to" from redirects where record_id is null or record_id = ''`),
  ).toEqual([{ from: '/C', to: '/d' }]);
});

const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;

test('SEO metadata is imported, and metadata that only plugins understand is reported', async () => {
  await using app = await startApp();
  let sites = 0;
  const read = async (file: string) => {
    sites += 1;
    const siteId = await app.seed.site({ subdomain: `site${sites}` });
    const reasons = await importInto(app, file, siteId);
    const rows = await rowsOf(
      app,
      `select title, meta_title, meta_description from posts where site_id = '${siteId}' order by title`,
    );
    return { rows: rows.map((row) => Object.values(row as object)), reasons };
  };
  const wordpress = [
    item(
      { title: 'Rank', 'wp:post_id': '1' },
      meta('rank_math_title', 'Rank &amp; file') + meta('rank_math_description', 'About rank'),
    ),
    item(
      { title: 'Yoast', 'wp:post_id': '2' },
      meta('_yoast_wpseo_title', '%%title%% %%sep%%') +
        meta('_yoast_wpseo_metadesc', 'About Yoast') +
        meta('_yoast_wpseo_canonical', 'https://a.example'),
    ),
  ];
  expect(
    await read(await temporaryFile(`<rss><channel>${wordpress.join('')}</channel></rss>`, 'a.xml')),
  ).toEqual({
    rows: [
      ['Rank', 'Rank & file', 'About rank'],
      ['Yoast', '', 'About Yoast'],
    ],
    reasons: [
      'Fields not imported: _yoast_wpseo_canonical. Field meta_title not imported: it contains placeholders of an SEO plugin',
    ],
  });
  const first = {
    ...ghostPost,
    title: 'Four',
    meta_title: 'In the row',
    codeinjection_head: '<script></script>',
  };
  const second = { ...ghostPost, id: '66a0c0ffee00000000000002', slug: 'five', title: 'Six' };
  const posts_meta = [
    { post_id: second.id, meta_title: null, meta_description: 'Of a table', og_title: 'Else' },
  ];
  expect(await read(await temporaryFile(ghost({ posts: [first, second], posts_meta }), 'a.json'))).toEqual({
    rows: [
      ['Four', 'In the row', ''],
      ['Six', '', 'Of a table'],
    ],
    reasons: ['Fields not imported: codeinjection_head', 'Fields not imported: og_title'],
  });
  const folder = await folderOf({
    'a.md': text(`title: A\ndescription: "About a"\nseo_title: A for all`),
    'b.md': text(`title: B\ndescription: ${'x'.repeat(600)}`),
  });
  expect(await read(folder)).toEqual({
    rows: [
      ['A', 'A for all', 'About a'],
      ['B', '', 'x'.repeat(500)],
    ],
    reasons: ['Field meta_description shortened to 500 characters'],
  });
});
