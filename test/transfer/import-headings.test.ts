import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { zipOf } from '../support/zips.ts';

// Links to parts of texts lead to the same parts after an import (docs/reference/imports.md).

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

/** Imports a file. Returns the notes by the slugs of the records, without notes on dates and front matter. */
async function importInto(app: TestApp, file: string) {
  const report: ImportedRecordReport[] = [];
  const siteId = await app.seed.ownSite();
  await importFile(app.deps, file, { siteId, actor, onRecord: (one) => report.push(one) });
  const rows = await rowsOf<{ id: string; slug: string }>(
    app,
    'select id, slug from posts union all select id, slug from pages',
  );
  const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
  return Object.fromEntries(
    report.flatMap(({ id, reason }) => {
      const notes = reason?.split('. ').filter((note) => !/^No date found|^Author/.test(note)) ?? [];
      const slug = slugs.get(id ?? '');
      return slug && notes.length > 0 ? [[slug, notes.join('. ')]] : [];
    }),
  );
}

const textOf = (html: string) => html.replaceAll(/<a class="anchor".*?<\/a>|<[^<>]*>?/g, '').trim();

/** Returns the target of each link with a fragment on a page: its address, and the heading or line with that ID. */
async function linksOn(app: TestApp, path: string) {
  const bodyOf = async (at: string) => {
    const page = await (await fetch(`${app.baseUrl}${at}`)).text();
    return /<div class="body prose">([\s\S]*?)<\/div>\n<footer/.exec(page)?.[1] ?? page;
  };
  const links: Record<string, string> = {};
  const found = (await bodyOf(path)).matchAll(/<a href="([^"]*#[^"]*)"[^>]*>([^#].*?)<\/a>/g);
  for (const [, href = '', words = ''] of found) {
    const { pathname, hash } = new URL(href, `${app.baseUrl}${path}`);
    const id = decodeURIComponent(hash.slice(1));
    const [before = '', after] = (await bodyOf(pathname)).split(` id="${id}"`, 2);
    const ends = /<\/?(?:h\d|p|li|td|figure)\b[^<>]*>/;
    const below = textOf(
      after
        ?.replace(/^[^>]*>/, '')
        .split(ends, 1)
        .join('') ?? '',
    );
    const text = below || textOf(before.split(ends).at(-1) ?? '');
    links[words] = after === undefined ? `lost ${pathname}#${id}` : `${pathname}#${id} ${text}`.trim();
  }
  return links;
}

test('Obsidian links reach headings and blocks of the same and other notes, and broken ones are noted', async () => {
  await using app = await startApp();
  const published = '---\npublish: true\n---\n';
  const folder = await folderOf({
    '.obsidian/app.json': '{}',
    'From.md': `${published}${[
      '[[To#The part|a]] [[to#THE PART|b]] ![[To#Second: "quoted" (part)|c]]',
      '[[To#Outer#Same|d]] [[To#Other#Same|e]] [[#Own part|f]] [[#^own|g]] [[To#^block|h]] [[To#^table|i]]',
      '[j](To.md#The%20part) [k](<To.md#The part>) [l](#Own%20part) [m](Folder/Late.md#^z)',
      '| Cell |\n|---|\n| [[To#The part\\|n]] [[#Own part\\|o]] [[#^own\\|p]] |',
      '> - [[To#The part|q]]\n>   - [[#Own part|r]]',
      '[[Late#Énd 1|s]] [[#1. Own number|t]] [[#Own number|u]]',
      '[[To#Gone|v]] [[To#^gone|w]] [[#None]] `[[#None]]` [[Missing#Part]]',
      '## Own part\n\nMarked ^own\n\n## 1. Own number\n\nText',
    ].join('\n\n')}\n`,
    'To.md': `${published}${[
      '## The part\n\nText',
      '## Second - "quoted" (part)\n\nIn a block ^block',
      '## Outer\n\n### Same\n\nFirst\n\n## Other\n\n### Same\n\nSecond',
      '| Head |\n|---|\n| Row |\n\n^table\n\nAfter',
    ].join('\n\n')}\n`,
    'Folder/Late.md': `${published}## Énd 1\n\n- Item ^z\n`,
  });
  expect(await importInto(app, folder)).toEqual({
    from: 'Links to content that was not imported: Missing. Links to headings that do not exist: To#Gone, To#^gone, #None',
  });
  const [part, own] = ['/posts/to#h-the-part The part', '/posts/from#h-own-part Own part'];
  const marked = '/posts/from#h-^own Marked';
  expect(await linksOn(app, '/posts/from')).toEqual({
    ...{ a: part, b: part, c: '/posts/to#h-second-quoted-part Second - “quoted” (part)' },
    ...{ d: '/posts/to#h-same Same', e: '/posts/to#h-same-2 Same', f: own, g: marked },
    ...{ h: '/posts/to#h-^block In a block', i: '/posts/to#h-^table', j: part, k: part, l: own },
    ...{ m: '/posts/late#h-^z Item', n: part, o: own, p: marked, q: part, r: own },
    ...{ s: '/posts/late#h-énd-1 Énd 1', t: '/posts/from#h-1-own-number 1. Own number' },
    ...{ u: '/posts/from#h-1-own-number 1. Own number', v: 'lost /posts/to#Gone', w: 'lost /posts/to#^gone' },
  });
});

test.for([
  [
    'Jekyll',
    {
      '_config.yml': 'permalink: /:title/',
      '_posts/2024-01-02-from.md': 'FROM',
      '_posts/2024-01-03-to.md': 'TO',
    },
    ['2024-01-03-to.md', '/to/', '../to/'],
  ],
  [
    'Hugo',
    { 'hugo.toml': 'title = "x"', 'content/posts/from.md': 'FROM', 'content/posts/to.md': 'TO' },
    ['to.md', '/posts/to/', '../to'],
  ],
  [
    'Astro',
    { 'astro.config.mjs': '', 'src/content/blog/from.md': 'FROM', 'src/content/blog/to.md': 'TO' },
    ['to.md', './to.md', '/blog/to'],
  ],
  [
    'Eleventy',
    { 'package.json': '{"dependencies":{"@11ty/eleventy":"3"}}', 'from.md': 'FROM', 'to.md': 'TO' },
    ['to.md', '/to/', '../to/'],
  ],
] as const)(
  'links of %s reach headings by declared IDs and by IDs that other generators derive from words',
  async ([name, files, targets]) => {
    await using app = await startApp();
    const [file, address, relative] = targets;
    const from = [
      `[a](${file}#there) [b](${address}#the-part) [c](${relative}#whats-new) [d](${file}#same-1) [e](#own)`,
      `[f](#caf%C3%A9) [g](#cafe) [h](${file}#anchor) <a href="${address}#2-setup">i</a> [j][1] [k](${file}#setup)`,
      `[l](${file}#gone) [m](#none) [n](${file}) [o](#top) [p](#)`,
      `[1]: ${address}#the-part\n\n## Own words {#own}\n\n## Café`,
    ].join('\n\n');
    const to = [
      '## Far {#there}\n\n## The part\n\n## What’s new?',
      '## Same\n\n## Same\n\n<a name="anchor"></a>Anchored\n\n## 2. Setup\n\nText',
    ].join('\n\n');
    const matter = (title: string) => `---\ntitle: ${title}\ndate: 2024-01-02\ndraft: false\n---\n`;
    const bodies = { FROM: `${matter('From')}${from}\n`, TO: `${matter('To')}${to}\n` };
    const written = Object.entries(files).map(([path, text]) => [
      path,
      text === 'FROM' || text === 'TO' ? bodies[text] : text,
    ]);
    const notes = await importInto(app, await folderOf(Object.fromEntries(written)));
    expect({ name, notes }).toEqual({
      name,
      notes: { from: `Links to headings that do not exist: ${file}#gone, #none` },
    });
    const part = '/posts/to#h-the-part The part';
    const setup = '/posts/to#h-2-setup 2. Setup';
    expect(await linksOn(app, '/posts/from')).toEqual({
      ...{ a: '/posts/to#h-there Far', b: part, c: '/posts/to#h-what-s-new What’s new?' },
      ...{ d: '/posts/to#h-same-2 Same', e: '/posts/from#h-own Own words', f: '/posts/from#h-café Café' },
      ...{ g: '/posts/from#h-café Café', h: '/posts/to#h-anchor Anchored', i: setup, j: part, k: setup },
      ...{ l: 'lost /posts/to#gone', m: 'lost /posts/from#none', o: 'lost /posts/from#top' },
      p: expect.anything(),
    });
  },
);

test('kramdown and Goldmark attributes declare IDs that links reach', async () => {
  await using app = await startApp();
  const body = [
    '[a](#one) [b](#two) [c](#three) [d](#four) [e](#five) [f](#six) [g](#seven) [h](to#one)',
    '## A {: #one .x}\n\n## B {#two .x k="v"}\n\n## C\n{: .x #three}\n\n## D ## {#four}',
    'E {: #five}\n----\n\nParagraph\n{: #six}\n\n| Table |\n|---|\n| Cell |\n{: #seven}',
  ].join('\n\n');
  const folder = await folderOf({
    '_config.yml': 'permalink: /:title',
    '_posts/2024-01-02-from.md': `---\ntitle: From\n---\n${body}\n`,
    '_posts/2024-01-02-to.md': '# Untitled {#one}\n\nText\n',
  });
  expect(await importInto(app, folder)).toEqual({});
  expect(await linksOn(app, '/posts/from')).toEqual({
    ...{ a: '/posts/from#h-one A', b: '/posts/from#h-two B', c: '/posts/from#h-three C' },
    ...{ d: '/posts/from#h-four D', e: '/posts/from#h-five E', f: '/posts/from#h-six Paragraph' },
    ...{ g: '/posts/from#h-seven', h: '/posts/untitled#h-one Untitled' },
  });
  expect(await (await fetch(`${app.baseUrl}/posts/from`)).text()).not.toMatch(/\{[:#]|[^&]#\}/);
});

/** Returns HTML bodies with links, and the notes and resolved links that they must produce. */
const html = (site: string, other: string) => ({
  from: [
    `<p><a href="#own">a</a> <a href="${other}#the-part">b</a> <a href="${site}${other}#named">c</a> <a href="#by-name">d</a></p>`,
    `<p><a href="${other}#gone">e</a> <a href="#none">f</a> <a href="${other}#Words_of_it">g</a> <a href="#figure">h</a></p>`,
    '<h2 id="own">Own</h2><p><a name="by-name"></a>Named</p><figure id="figure"><figcaption>Drawn</figcaption></figure>',
  ].join('\n\n'),
  to: '<h2 id="the-part">Another text</h2>\n\n<p><a id="named"></a>Named there</p>\n\n<h3>Words of it</h3>',
  lost: `Links to headings that do not exist: ${other}#gone, #none`,
  links: {
    ...{
      a: '/posts/from#h-own Own',
      b: '/posts/to#h-the-part Another text',
      c: '/posts/to#h-named Named there',
    },
    ...{ d: '/posts/from#h-by-name Named', e: 'lost /posts/to#gone', f: 'lost /posts/from#none' },
    ...{ g: '/posts/to#h-words-of-it Words of it', h: '/posts/from#h-figure Drawn' },
  },
});

test('Ghost links reach headings with IDs and anchors', async () => {
  await using app = await startApp();
  const { from, to, lost, links } = html('', '__GHOST_URL__/to/');
  const post = (id: number, slug: string, body: string) => ({
    ...{ id: `66a0c0ffee0000000000000${id}`, title: slug, slug, html: body, type: 'post' },
    ...{ status: 'published', visibility: 'public', published_at: '2024-05-03T07:15:00.000Z' },
  });
  const data = { posts: [post(1, 'from', from), post(2, 'to', to)] };
  expect(
    await importInto(app, await temporaryFile(JSON.stringify({ db: [{ data }] }), 'ghost.json')),
  ).toEqual({
    from: lost,
  });
  expect(await linksOn(app, '/posts/from')).toEqual(links);
});

const itemOf = (id: number, slug: string, body: string, type = 'post') => `<item>
  <title>${slug}</title><link>https://old.example.com/2024/05/${slug}/</link><content:encoded><![CDATA[${body}]]></content:encoded>
  <wp:post_id>${id}</wp:post_id><wp:post_name>${slug}</wp:post_name><wp:post_date_gmt>2024-05-03 07:15:00</wp:post_date_gmt>
  <wp:status>publish</wp:status><wp:post_type>${type}</wp:post_type></item>`;

const wordPressOf = (...items: readonly string[]) => `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:content="c" xmlns:wp="w"><channel><link>https://old.example.com</link>
<wp:base_blog_url>https://old.example.com</wp:base_blog_url>${items.join('\n')}</channel></rss>`;

test('WordPress links reach headings with IDs and anchors, with and without blocks, and on pages', async () => {
  await using app = await startApp();
  const { from, to, lost, links } = html('https://old.example.com', '/2024/05/to/');
  const blocks =
    '<!-- wp:heading {"anchor":"deep"} --><h2 class="wp-block-heading" id="deep">Deep</h2><!-- /wp:heading -->';
  const page = '<p><a href="/?p=3#deep">a</a> <a href="../to/?x=1#named">b</a></p>';
  const file = wordPressOf(
    ...[
      itemOf(1, 'from', from),
      itemOf(2, 'to', to),
      itemOf(3, 'blocks', blocks, 'page'),
      itemOf(4, 'page', page, 'page'),
    ],
  ).replace('<wp:post_id>3<', '<guid>https://old.example.com/?p=3</guid><wp:post_id>3<');
  expect(await importInto(app, await temporaryFile(file, 'wordpress.xml'))).toEqual({ from: lost });
  expect(await linksOn(app, '/posts/from')).toEqual(links);
  expect(await linksOn(app, '/page')).toEqual({
    a: '/blocks#h-deep Deep',
    b: '/posts/to#h-named Named there',
  });
});

test('Medium links reach paragraphs and headings by their names', async () => {
  await using app = await startApp();
  const page = (title: string, id: string, body: string) =>
    `<article><h1 class="p-name">${title}</h1><section data-field="body" class="e-content">${body}</section>
    <footer><time class="dt-published" datetime="2024-05-03T07:15:00.000Z">x</time><a href="https://medium.com/@ada/${title.toLowerCase()}-${id}" class="p-canonical">x</a></footer></article>`;
  const body =
    '<p><a href="https://medium.com/@ada/to-0123456789ab#1f3c">a</a> <a href="#2a4b">b</a> <a href="#ffff">c</a></p><p name="2a4b" id="2a4b">Own</p>';
  const archive = zipOf({
    'posts/2024-05-03_From-abcdef012345.html': page('From', 'abcdef012345', body),
    'posts/2024-05-03_To-0123456789ab.html': page(
      'To',
      '0123456789ab',
      '<h3 name="1f3c" id="1f3c">Part</h3>',
    ),
  });
  const draft = 'Imported as a draft: Medium exports do not state who could read the original';
  expect(await importInto(app, await temporaryFile(archive, 'medium.zip'))).toEqual({
    from: `${draft}. Links to headings that do not exist: #ffff`,
    to: draft,
  });
  await rowsOf(app, 'update posts set is_draft = false');
  expect(await linksOn(app, '/posts/from')).toEqual({
    ...{ a: '/posts/to#h-1f3c Part', b: '/posts/from#h-2a4b Own', c: 'lost /posts/from#ffff' },
  });
});

test('Substack links reach headings by the words in their addresses', async () => {
  await using app = await startApp();
  const post = (id: number, name: string) =>
    `${id}.${name},2024-05-03T07:15:00.000Z,true,newsletter,everyone,${name},\n`;
  const archive = zipOf({
    'email_list.ada.csv': 'email\n',
    'posts.csv': `post_id,post_date,is_published,type,audience,title,subtitle\n${post(11, 'from')}${post(12, 'to')}`,
    'posts/11.from.html':
      '<p><a href="https://ada.substack.com/i/12/the-part">a</a> <a href="https://ada.substack.com/p/to#%C2%A7the-part">b</a> <a href="https://ada.substack.com/i/11/own">c</a> <a href="https://ada.substack.com/i/12/gone">d</a></p><h2>Own</h2>',
    'posts/12.to.html': '<p>Text</p><h2>The part</h2>',
  });
  expect(await importInto(app, await temporaryFile(archive, 'substack.zip'))).toEqual({
    from: 'Links to headings that do not exist: https://ada.substack.com/i/12/gone',
  });
  expect(await linksOn(app, '/posts/from')).toEqual({
    ...{ a: '/posts/to#h-the-part The part', b: '/posts/to#h-the-part The part' },
    ...{ c: '/posts/from#h-own Own', d: 'lost /posts/to#gone' },
  });
});

test('links of a later import reach headings of previously imported texts', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const to = { 'to.md': '# To\n\n## Part {#there}\n\nText of some length, so that it is compared\n' };
  await importFile(app.deps, await folderOf(to), { siteId, actor });
  const folder = await folderOf({ ...to, 'from.md': '# From\n\n[a](to.md#there) [b](to.md#part)\n' });
  await importFile(app.deps, folder, { siteId, actor });
  expect(await linksOn(app, '/posts/from')).toEqual({
    a: '/posts/to#h-there Part',
    b: '/posts/to#h-there Part',
  });
});

test('a text is recognized as imported even if the IDs of its headings were removed at that time', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const folder = await folderOf({
    '_config.yml': 'title: x',
    '_posts/2024-01-02-a.md':
      '---\ntitle: A\n---\n## Part {#there}\n\nText of some length, so that it is compared\n',
  });
  const outcomes = async () => {
    const report: string[] = [];
    await importFile(app.deps, folder, {
      siteId,
      actor,
      onRecord: ({ outcome, reason }) => report.push(`${outcome} ${reason}`),
    });
    return report.filter((each) => !each.includes('no post or page uses this file'));
  };
  expect(await outcomes()).toEqual(['created null']);
  await rowsOf(app, "update posts set content = replace(content, ' {#there}', '')");
  expect(await outcomes()).toEqual(['skipped Already imported']);
});

test('a zip of hundreds of texts that link to parts of each other is imported with all links', async () => {
  await using app = await startApp();
  const files = Array.from({ length: 450 }, (_, at) => [
    `n${at}.md`,
    `---\ntitle: Text ${at}\n---\n[next](n${(at + 1) % 450}.md#part-${at}) [own](#part)\n\n## Part\n\n## Part ${at - 1 < 0 ? 449 : at - 1} {#p${at}}\n`,
  ]);
  expect(await importInto(app, await temporaryFile(zipOf(Object.fromEntries(files)), 'texts.zip'))).toEqual(
    {},
  );
  const rows = await rowsOf<{ content: string }>(app, 'select content from posts');
  const found = rows.filter(({ content }) => /\[next\]\(\/posts\/text-\d+#h-p\d+\)/.test(content));
  expect(found).toHaveLength(450);
});
