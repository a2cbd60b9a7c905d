import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { temporaryFile } from '../support/archives.ts';
import { zipOf } from '../support/zips.ts';

// Content of other systems looks as it did there (docs/reference/imports.md).

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

async function importInto(app: TestApp, file: string) {
  const report: ImportedRecordReport[] = [];
  const siteId = await app.seed.ownSite();
  await importFile(app.deps, file, { siteId, actor, onRecord: (one) => report.push(one) });
  return report;
}

/** Returns the HTML of a post's page, from the body on. */
async function shown(app: TestApp, slug: string) {
  const page = await (await fetch(`${app.baseUrl}/posts/${slug}`)).text();
  return /<div class="body prose">([\s\S]*?)<\/div>\n<footer/.exec(page)?.[1] ?? page;
}

const code = 'one(*a*);\n\n    two();\n# three\n\n- four';

/** HTML as editors of other systems write it: on one line, except inside code. */
const html = [
  `<p>Before _it_</p><pre><code>${code}</code></pre><p>After *it*</p>`,
  `<ul><li>In a list<pre>${code}</pre></li></ul>`,
  `<pre>First\n</pre><pre>Then\n   indented</pre>`,
  '<div>\n\n    <p>Indented</p>\n\n\n</div><p>The end</p>',
].join('');

const asItWas = [
  expect.stringMatching(/^<p>Before _it_<\/p>\s*<pre[^>]*><code>/),
  expect.stringContaining(`<code>${code}</code></pre><p>After *it*</p><ul><li>In a list`),
  expect.stringMatching(/<pre[^>]*>First\n<\/pre>\s*<pre[^>]*>Then\n {3}indented<\/pre>/),
  expect.stringMatching(/<div>\s*<p>Indented<\/p>\s*<\/div><p>The end<\/p>\s*$/),
];

const ghostOf = (body: string) => ({
  db: [
    {
      data: {
        posts: [
          {
            ...{ id: '66a0c0ffee00000000000001', title: 'Code', slug: 'code', html: body, type: 'post' },
            ...{ status: 'published', visibility: 'public', published_at: '2024-05-03T07:15:00.000Z' },
          },
        ],
      },
    },
  ],
});

const substackOf = (body: string) =>
  zipOf({
    'posts.csv':
      'post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle\n' +
      '1.code,2024-05-03T07:15:00.000Z,true,,,newsletter,everyone,Code,\n',
    'posts/1.code.html': body,
  });

test('HTML of another system is shown unchanged, including empty lines in code and indented tags', async () => {
  for (const file of [
    await temporaryFile(JSON.stringify(ghostOf(html)), 'ghost.json'),
    await temporaryFile(substackOf(html), 'substack.zip'),
    await temporaryFile(wordPressOf({ body: `<!-- wp:html -->${html}<!-- /wp:html -->` }), 'wordpress.xml'),
  ]) {
    await using app = await startApp();
    await importInto(app, file);
    const page = await shown(app, 'code');
    for (const part of asItWas) expect(page).toEqual(part);
    expect(page).not.toContain('&lt;');
  }
});

interface WordPressPost {
  title?: string;
  body: string;
  fields?: string;
  creator?: string;
  id?: number;
}

const itemOf = ({ title = 'Code', body, fields = '', creator = 'ada', id = 1 }: WordPressPost) => `<item>
  <title><![CDATA[${title}]]></title><link>https://old.example.com/2024/05/post-${id}/</link>
  <dc:creator><![CDATA[${creator}]]></dc:creator><content:encoded><![CDATA[${body}]]></content:encoded>
  <wp:post_id>${id}</wp:post_id><wp:post_name>${id === 1 ? 'code' : `post-${id}`}</wp:post_name>
  <wp:post_date_gmt>2024-05-03 07:15:00</wp:post_date_gmt><wp:status>publish</wp:status>
  <wp:post_type>post</wp:post_type>${fields}</item>`;

const wordPressOf = (...posts: readonly WordPressPost[]) => `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:content="c" xmlns:wp="w" xmlns:dc="d"><channel>
<link>https://old.example.com</link><wp:base_blog_url>https://old.example.com</wp:base_blog_url>
${posts.map(itemOf).join('\n')}</channel></rss>`;

test('a WordPress post without blocks keeps its paragraphs and line breaks, and none of its characters become Markdown', async () => {
  await using app = await startApp();
  const body = [
    'Roses are red,\r\nviolets are *blue* and <em>snake_case</em>.',
    '    # 1. No heading, list or code\r\n- nor here',
    '<h2>A heading</h2>\r\nRight below it\r\n<blockquote>Said\r\n\r\ntwice</blockquote>',
    '<ul>\r\n <li>one\r\n two</li>\r\n\r\n <li>three</li>\r\n</ul>',
    '[caption id="a_1" width="300"]<a href="/oar"><img src="/oar.jpg" alt="An oar" /></a> Ash, by *Ada*[/caption]',
    '[caption id="a_3" caption="Once, by Ada"]<img src="/old.jpg" alt="" />[/caption]',
    '[caption id="a_2"]No picture[/caption]',
    '<pre>kept\r\n\r\n  as *is*</pre>\r\nhttps://video.example/watch?v=1',
  ].join('\r\n\r\n');
  await importInto(app, await temporaryFile(wordPressOf({ body }), 'wordpress.xml'));
  const page = (await shown(app, 'code')).replaceAll(
    / (?:tabindex|rel|id)="[^"]*"| <a class="anchor".*?<\/a>/g,
    '',
  );
  expect(page.split('\n').filter(Boolean)).toEqual([
    '<p>Roses are red,<br />',
    'violets are *blue* and <em>snake_case</em>.</p>',
    '<p># 1. No heading, list or code<br />',
    '- nor here</p>',
    '<h2>A heading</h2>',
    '<p>Right below it</p>',
    '<blockquote><p>Said</p>',
    '<p>twice</p></blockquote>',
    '<ul>',
    '<li>one<br />',
    'two</li>',
    '<li>three</li>',
    '</ul>',
    '<figure><a href="/oar"><img alt="An oar" src="/oar.jpg" loading="lazy" decoding="async" /></a><figcaption>Ash, by *Ada*</figcaption></figure>',
    '<figure><img alt="" src="/old.jpg" loading="lazy" decoding="async" /><figcaption>Once, by Ada</figcaption></figure>',
    '<p>[caption]No picture[/caption]</p>',
    '<pre>kept',
    '  as *is*</pre>',
    '<p><a href="https://video.example/watch?v=1">https://video.example/watch?v=1</a></p>',
  ]);
});

test('WordPress videos, audio, images, code and footnotes are shown, and blocks of its own are reported', async () => {
  await using app = await startApp();
  const up = 'https://old.example.com/up';
  const body = [
    '<!-- wp:paragraph --><p>Ash<sup data-fn="a-b" class="fn"><a href="#a-b" id="a-b-link">1</a></sup></p><!-- /wp:paragraph -->',
    '[embed width="600"]https://video.example/1[/embed]',
    `<p>[audio mp3="${up}/a.mp3"][/audio] [video width="6" mp4="${up}/b.mp4"][/video]</p>`,
    '<div>[gallery columns="2" ids="7,8"]</div><p>[gallery ids="9"]</p>',
    '[sourcecode language="js"]\nif (a &lt; b && c < d) {\n\n}\n[/sourcecode]',
    `<!-- wp:file --><div><a href="${up}/c.pdf">Plan</a><a href="${up}/c.pdf" class="wp-block-file__button" download>Download</a></div><!-- /wp:file -->`,
    '<!-- wp:latest-posts {"a":1} /--><!-- wp:block {"ref":77} /--><!-- wp:block {"ref":78} /--><!-- wp:footnotes /-->',
  ].join('\n');
  const fields = `<wp:postmeta><wp:meta_key>footnotes</wp:meta_key><wp:meta_value><![CDATA[[{"content":"Or <em>oak</em>","id":"a-b"}]]]></wp:meta_value></wp:postmeta>`;
  const image = (id: number, about: string) =>
    `<item><title>P</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type>
    <wp:status>inherit</wp:status>${about}<wp:attachment_url>${up}/${id}.jpg</wp:attachment_url></item>`;
  const pattern = (id: number, status: string) =>
    `<item><title>S</title><content:encoded><![CDATA[<!-- wp:paragraph --><p>Shared ${id}</p><!-- /wp:paragraph -->]]></content:encoded>
    <wp:post_id>${id}</wp:post_id><wp:post_type>wp_block</wp:post_type><wp:status>${status}</wp:status></item>`;
  const xml = wordPressOf({ body, fields }).replace(
    '</channel>',
    `${image(7, '<excerpt:encoded><![CDATA[A <b>shed</b>]]></excerpt:encoded>')}${image(8, '<excerpt:encoded><![CDATA[]]></excerpt:encoded>')}</channel>`,
  );
  const file = xml.replace('</channel>', `${pattern(77, 'publish')}${pattern(78, 'draft')}</channel>`);
  const [post] = await importInto(app, await temporaryFile(file, 'wordpress.xml'));
  expect(post?.reason).toMatch(
    /^Blocks not imported, because WordPress generates their content: latest-posts, block\. Shortcodes shown as plain text: gallery\. Images/,
  );
  const page = (await shown(app, 'code')).replaceAll(
    / (?:loading|decoding|rel|tabindex|preload)="[^"]*"/g,
    '',
  );
  for (const part of [
    'Ash<sup class="footnote-ref"><a href="#footnote1" id="footnote-ref1">[1]</a></sup></p>',
    '<a href="https://video.example/1">https://video.example/1</a>',
    `<audio controls src="${up}/a.mp3"></audio> <video controls src="${up}/b.mp4"></video>`,
    `<figure><img alt="" src="${up}/7.jpg" /><figcaption>A shed</figcaption></figure>`,
    `<figure><img alt="" src="${up}/8.jpg" /></figure>`,
    '<p>[gallery ids="9"]</p>',
    '<p>Shared 77</p>',
    `<div><a href="${up}/c.pdf">Plan</a></div>`,
    '<li class="footnote-item" id="footnote1">Or <em>oak</em> <a href="#footnote-ref1" class="footnote-backref">↩︎</a></li>',
  ])
    expect(page).toContain(part);
  expect(page.replaceAll(/<\/?span[^>]*>/g, '')).toContain(
    'if (a &lt; b &amp;&amp; c &lt; d) {\n\n}</code></pre>',
  );
});

const field = (name: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${name}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;

test('texts of WordPress images are shown completely as text, with any characters', async () => {
  await using app = await startApp();
  const long = 'word '.repeat(500);
  const captioned = (id: number, caption: string) =>
    `<item><title>P</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status>
    <excerpt:encoded><![CDATA[${caption}]]></excerpt:encoded>${field('_wp_attachment_image_alt', 'Alt [of] a < "b" &amp; c')}
    <wp:attachment_url>https://old.example.com/${id}.jpg</wp:attachment_url></item>`;
  const file = wordPressOf({ body: '<div>[gallery ids="7,8"]</div><p>After</p>' }).replace(
    '</channel>',
    `${captioned(7, 'See <a href="https://e.example/Foo_[bar]">Foo</a> &lt;i> ]]]]><![CDATA[> ')}${captioned(8, long)}</channel>`,
  );
  await importInto(app, await temporaryFile(file, 'wordpress.xml'));
  const page = await shown(app, 'code');
  expect(page).toContain('alt="Alt [of] a &lt; &quot;b&quot; &amp; c" src="https://old.example.com/7.jpg"');
  expect(page).toContain('<figcaption>See Foo &lt;i&gt; ]]&gt;</figcaption>');
  expect(page).toContain(`<figcaption>${long.trim()}</figcaption></figure></div><p>After</p>`);
});

test('shortcodes in code, links to files without names and footnotes next to invalid ones are preserved', async () => {
  await using app = await startApp();
  const body = [
    '<!-- wp:code --><pre><code>[code lang="php"]echo 1;[/code]</code></pre><!-- /wp:code -->',
    '<p>From <code>[code]</code> to <code>[/code]</code></p>',
    '<div><a href="/c.pdf" class="wp-block-file__button" download>Download</a></div>',
    '<!-- wp:footnotes /--><!-- wp:footnotes /-->',
  ].join('\n');
  const fields = field('footnotes', '[{"content":"One"},{"id":"b","content":null},{"content":"Three"}]');
  const [post, other] = await importInto(
    app,
    await temporaryFile(
      wordPressOf({ body, fields }, { id: 2, body, fields: field('footnotes', 'broken') }),
      'wordpress.xml',
    ),
  );
  expect(post?.reason).toMatch(/^Footnotes not imported, because they cannot be read: 1\. /);
  expect(other?.reason).toMatch(/^Footnotes not imported: they cannot be read\. /);
  const page = await shown(app, 'code');
  expect(page).toMatch(/<pre[^>]*><code>\[code lang="php"\]echo 1;\[\/code\]<\/code><\/pre>/);
  expect(page).toContain('<p>From <code>[code]</code> to <code>[/code]</code></p>');
  expect(page).toMatch(/<div><a href="\/c.pdf"[^>]*>Download<\/a><\/div>/);
  expect(page.match(/id="footnote\d">\w*/g)).toEqual([
    'id="footnote1">One',
    'id="footnote2">',
    'id="footnote3">Three',
  ]);
});

test('Ghost footnotes link both ways, and elements that need scripts are removed', async () => {
  await using app = await startApp();
  const ghost =
    '<p>A<a href="#fn1" id="fnref1">1</a></p><ol><li id="fn1"><p>One <a href="#fnref1">back</a></p></li></ol><div class="kg-audio-player"><button class="kg-audio-playback-rate">1×</button><span class="kg-audio-current-time">0:00</span><div class="kg-audio-time">/<span class="kg-audio-duration">62</span></div></div><form><p>Sent!</p></form><p>Ada</p>';
  const [post] = await importInto(app, await temporaryFile(JSON.stringify(ghostOf(ghost)), 'ghost.json'));
  expect(post?.reason).toBe('Forms not imported');
  const page = await shown(app, 'code');
  for (const part of ['href="#footnote1" id="footnote-ref1"', '<li id="footnote1">', 'href="#footnote-ref1"'])
    expect(page).toContain(part);
  expect(page.slice(page.indexOf('</ol>'))).toMatch(/^<\/ol><div><\/div><p>Ada<\/p>\s*$/);
});

test('text in buttons is preserved, and text in drawings is reported', async () => {
  await using app = await startApp();
  const body =
    '<h3><button aria-expanded="false"><svg><path d="M1 1"/></svg><span>What does it cost?</span></button></h3><p>Ten.</p><svg><text>Chart</text></svg>';
  const [post] = await importInto(app, await temporaryFile(JSON.stringify(ghostOf(body)), 'ghost.json'));
  expect(post?.reason).toBe('Text in SVG drawings not imported');
  expect(await shown(app, 'code')).toMatch(
    /<h2[^>]*><span>What does it cost\?<\/span>.*<\/h2><p>Ten\.<\/p>\s*$/,
  );
});

test('HTML entities in a title are decoded, and unknown ones are preserved', async () => {
  await using app = await startApp();
  const title = 'Caf&eacute; &#8217;s &amp;lt; &euro; &Auml;&NotEqualTilde; &bogus; R&D';
  const [post] = await importInto(
    app,
    await temporaryFile(wordPressOf({ title, body: '' }), 'wordpress.xml'),
  );
  expect(post?.title).toBe('Café ’s &lt; € Ä≂̸ &bogus; R&D');
});

test('a relative link is resolved from the old address of its WordPress post', async () => {
  await using app = await startApp();
  const body = '<p><a href="../post-2/#part">up</a> <a href="?p=2">id</a></p>';
  await importInto(app, await temporaryFile(wordPressOf({ body }, { id: 2, body: '' }), 'wordpress.xml'));
  expect(await shown(app, 'code')).toContain('<a href="/posts/post-2#part">up</a>');
});

test('WordPress terms, fields and authors that cannot be imported are reported', async () => {
  await using app = await startApp();
  const fields = [
    '<category domain="series" nicename="long"><![CDATA[Long reads]]></category>',
    '<category domain="category" nicename="boats"><![CDATA[Boats]]></category>',
    ...['subtitle', '_edit_last', 'place', 'empty'].map(
      (name) =>
        `<wp:postmeta><wp:meta_key>${name}</wp:meta_key><wp:meta_value>${name === 'empty' ? '' : '1'}</wp:meta_value></wp:postmeta>`,
    ),
  ].join('');
  const file = wordPressOf({ body: '', fields }, { body: '', id: 2, creator: 'ben' });
  const report = await importInto(app, await temporaryFile(file, 'wordpress.xml'));
  const posts = report.filter(({ collection }) => collection === 'posts');
  expect(posts.map(({ reason }) => reason)).toEqual([
    'Author not imported: ada. Terms not imported: series Long reads. Custom fields not imported: subtitle, place',
    'Author not imported: ben',
  ]);
});
