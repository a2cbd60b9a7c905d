import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { temporaryFile, temporaryFolder } from '../support/archives.ts';
import { importInto, rows, sample, told } from '../support/import-sample.ts';

test('posts, pages, tags, schedules and members of a Ghost export are imported, and everything else is reported', async () => {
  await using app = await startApp();

  const { report } = await importInto(app, sample('ghost.json'));

  expect(told(report)).toEqual([
    [
      'posts 66a0c0ffee00000000000001',
      'created',
      'Internal tags not imported: #imported. Links to content that was not imported: __GHOST_URL__/content/images/2024/05/iron.jpg. Cover image not imported: __GHOST_URL__/content/images/2024/05/bench.jpg',
    ],
    ['posts 66a0c0ffee00000000000002', 'created', null],
    ['posts 66a0c0ffee00000000000003', 'created', 'Scheduled: it will be published on 2099-12-01 08:00 UTC'],
    ['pages 66a0c0ffee00000000000004', 'created', null],
    [
      'posts 66a0c0ffee00000000000005',
      'refused',
      'Not imported: the export has its text only in the format of Ghost’s editor, without HTML',
    ],
    ['members 66a0c0ffee00000000000022', 'refused', 'Not imported: email: must be an email address'],
    ['members 66a0c0ffee00000000000020', 'created', 'Labels not imported: Founding'],
    ['members 66a0c0ffee00000000000021', 'created', null],
    ['subscribers 66a0c0ffee00000000000021', 'created', null],
    ['newsletters newsletters', 'skipped', 'Not imported: these rows have no equivalent here'],
    [
      'settings settings',
      'skipped',
      'Not imported: set these values in Design and settings or in Profile (title: Letters from the shed)',
    ],
    ['posts_authors posts_authors', 'skipped', 'Not imported: these rows have no equivalent here'],
    ['products products', 'skipped', 'Not imported: these rows have no equivalent here'],
    ['redirects /tag/hand-tools', 'created', null],
    ['redirects /tag/hand-tools/rss', 'created', null],
  ]);
  const shown =
    'select title, slug, excerpt, featured, tags, access_tier, is_draft, published_at::text, publish_at::text, created::text, revision from posts order by created';
  expect(await rows(app, shown)).toEqual([
    {
      title: 'How to sharpen a plane iron',
      slug: 'how-to-sharpen-a-plane-iron',
      excerpt: 'Ten minutes, two stones.',
      featured: true,
      tags: ['Hand tools'],
      access_tier: 'free',
      is_draft: false,
      published_at: '2024-05-03 07:15:00+00',
      publish_at: null,
      created: '2024-05-02 08:00:00+00',
      revision: 1,
    },
    expect.objectContaining({ slug: 'a-chair-plan-by-plan', access_tier: 'members', is_draft: false }),
    expect.objectContaining({
      slug: 'winter-class',
      access_tier: 'registered',
      is_draft: true,
      publish_at: '2099-12-01 08:00:00+00',
    }),
  ]);
  expect(await rows(app, 'select email, name, access_tiers from members order by email')).toEqual([
    { email: 'ash@example.com', name: '', access_tiers: [] },
    { email: 'wren@example.com', name: 'Wren Alder', access_tiers: ['members'] },
  ]);
  expect(await rows(app, 'select * from events')).toEqual([]);
});

test('posts, pages, categories, tags and schedules of a WordPress export are imported, and attachments are listed', async () => {
  await using app = await startApp();

  const { report } = await importInto(app, sample('wordpress.xml'));

  expect(told(report)).toEqual([
    [
      'posts 11',
      'created',
      'Comments not imported: 1. Images still loaded from the old site: https://tides.example.com/wp-content/uploads/2024/03/oar.jpg. Cover image not imported: https://tides.example.com/wp-content/uploads/2024/03/oar.jpg',
    ],
    ['pages 12', 'created', null],
    ['posts 13', 'created', 'Scheduled: it will be published on 2099-06-01 08:00 UTC'],
    [
      'attachment 14',
      'skipped',
      'Not imported: no new post shows this file, or images were not downloaded (https://tides.example.com/wp-content/uploads/2024/03/oar.jpg)',
    ],
    ['posts 15', 'created', 'Imported as a draft: the original was a draft'],
    ['redirects /category/boats', 'created', null],
    ['redirects /category/boats/feed', 'created', null],
    ['redirects /tag/weather', 'created', null],
    ['redirects /tag/weather/feed', 'created', null],
    ['redirects /author/mara', 'created', null],
    ['redirects /author/mara/feed', 'created', null],
  ]);
  const shown =
    'select title, slug, excerpt, content, featured, tags, is_draft, published_at::text, publish_at::text from posts order by created';
  expect(await rows(app, shown)).toEqual([
    {
      title: 'Rowing in the rain & after',
      slug: 'rowing-in-the-rain',
      excerpt: 'Short strokes, dry sandwiches.',
      content:
        '<p>Keep the stroke short. Feeds write </item> where a day ends.</p>\n\n<figure class="wp-block-image"><img src="https://tides.example.com/wp-content/uploads/2024/03/oar.jpg" alt="An oar"/></figure>',
      featured: true,
      tags: ['Boats & oars', 'weather'],
      is_draft: false,
      published_at: '2024-03-09 10:00:00+00',
      publish_at: null,
    },
    expect.objectContaining({ slug: 'regatta', is_draft: true, publish_at: '2099-06-01 08:00:00+00' }),
    expect.objectContaining({
      title: '(untitled)',
      slug: 'untitled',
      is_draft: true,
      content: '<p>Half a thought.</p>',
    }),
  ]);
});

test('a Markdown folder is imported as posts, from front matter, headings and file names', async () => {
  await using app = await startApp();

  const folder = await temporaryFolder();
  await cp(sample('markdown'), folder, { recursive: true });
  await writeFile(path.join(folder, 'broken.md'), '---\ntitle: [not closed\n---\nText\n');

  const { report } = await importInto(app, folder);

  expect(told(report)).toEqual([
    ['posts 2024/2024-02-20-second-loaf.md', 'created', null],
    ['posts bread.md', 'created', 'Front matter fields not imported: layout'],
    [
      'posts broken.md',
      'created',
      expect.stringMatching(/^Imported as a draft: its front matter cannot be read: /),
    ],
    ['posts idea.md', 'created', 'Imported as a draft: its front matter sets draft: true'],
    ['files crumb.jpg', 'skipped', 'Not imported: no post or page uses this file'],
  ]);
  expect(
    await rows(
      app,
      'select title, slug, tags, is_draft, published_at::text from posts order by title collate "C"',
    ),
  ).toEqual([
    { title: 'An idea', slug: 'an-idea', tags: ['baking', 'later'], is_draft: true, published_at: null },
    {
      title: 'Bread without hurry',
      slug: 'slow-bread',
      tags: ['baking', 'patience'],
      is_draft: false,
      published_at: '2024-01-15 08:00:00+00',
    },
    {
      title: 'The second loaf',
      slug: 'the-second-loaf',
      tags: [],
      is_draft: false,
      published_at: '2024-02-20 10:00:00+00',
    },
    { title: 'broken', slug: 'broken', tags: [], is_draft: true, published_at: null },
  ]);
});

test('a dry run of another system’s export changes nothing, and reports the same as the import', async () => {
  await using app = await startApp();
  const dry = await importInto(app, sample('ghost.json'), { dryRun: true });
  expect(await rows(app, 'select id from posts')).toEqual([]);
  expect(await rows(app, 'select * from imported_records')).toEqual([]);
  const real = await importInto(app, sample('ghost.json'));
  expect(dry.counts).toEqual(real.counts);
  expect(told(dry.report)).toEqual(told(real.report));
});

test.for([
  [
    'defines entities',
    '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>',
  ],
  [
    'reads a file',
    '<rss><channel><item><!ENTITY x SYSTEM "file:///etc/passwd"><title>&x;</title></item></channel></rss>',
  ],
  ['ends early', '<rss><channel><item><title>Half'],
  ['is JSON that ends early', '{"db": [{"data": {"posts": [{"id": 1, "title": "Half'],
  ['is nested too deeply', `{"a": ${'['.repeat(100)}`],
  ['is neither', 'PK something'],
  ['is empty', ''],
] as const)('a file that %s is refused with the reason, and nothing is stored', async ([, content]) => {
  await using app = await startApp();
  const file = await temporaryFile(content, 'export');
  await expect(importInto(app, file)).rejects.toThrow(/^the file (is no|is neither)/);
  expect(await rows(app, 'select id from posts')).toEqual([]);
});

test('a record that is too long or invalid is refused alone, and the records around it are imported', async () => {
  await using app = await startApp();
  const long = 'x'.repeat(9 * 1024 * 1024);
  const item = (id: number, title: string) =>
    `<item><title>${title}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status></item>`;
  const xml = `<rss><channel>${item(1, 'One')}${item(2, long)}<item><title>No end</item>${item(4, 'Four &amp; &#8217;')}</channel></rss>`;
  const { report } = await importInto(app, await temporaryFile(xml, 'wordpress.xml'));
  expect(told(report)).toEqual([
    ['posts item 2', 'refused', 'Not imported: it is larger than 8 MB'],
    ['posts item 3', 'refused', 'Not imported: it is not valid XML'],
    ['posts 1', 'created', null],
    ['posts 4', 'created', null],
  ]);
  expect(report.at(-1)?.title).toBe('Four & ’');

  const json = `{"data": {"posts": [{"id": 1, "title": "One", "html": "<p>1</p>"}, {"id": 2, "title": "${long}"}, {"id": 3, "html": 7}, {"id": 4, "title": "Four"}]}, "meta": {}}`;
  const other = await importInto(app, await temporaryFile(json, 'ghost.json'));
  expect(told(other.report)).toEqual([
    ['posts row 2', 'refused', 'Not imported: it cannot be read or is larger than 8 MB'],
    ['posts row 3', 'refused', 'Not imported: html: must be text'],
    ['posts 1', 'created', 'Imported as a draft: the export does not state its status'],
    ['posts 4', 'created', 'Imported as a draft: the export does not state its status'],
  ]);
});

test('a record whose id cannot be stored is refused alone, and other values with NUL are reported', async () => {
  await using app = await startApp();
  const html = '<p>.</p>';
  const posts = [
    { id: 'a\0b', title: 'Odd id', html },
    { id: 'half\ud800', title: 'Half', html },
    { id: 'c', title: 'Odd slug', slug: 'odd\0slug', html },
    { id: 'd', title: 'Odd\0title', html },
    { id: 'e', title: 'Whole', html },
  ];
  const file = await temporaryFile(
    JSON.stringify({ data: { posts }, meta: { db_hash: 'x\0' } }),
    'ghost.json',
  );
  const { report } = await importInto(app, file);
  const oddId = 'Not imported: its ID contains a NUL character or an incomplete Unicode character';
  const whole = 'Imported as a draft: the export does not state its status';
  expect(told(report).toSorted()).toEqual(
    [
      ['posts ab', 'refused', oddId],
      ['posts half\ufffd', 'refused', oddId],
      ['posts c', 'created', `Slug made from the title: odd\0slug is not a valid slug here. ${whole}`],
      [
        'posts d',
        'refused',
        'Not imported: title: must not contain a NUL character or half of a surrogate pair',
      ],
      ['posts e', 'created', whole],
    ].toSorted(),
  );
});

test('a thousand posts with one title each get their own slug', async () => {
  await using app = await startApp();
  const posts = Array.from({ length: 1_000 }, (_, n) => ({
    id: n,
    title: 'Same',
    html: '<p>.</p>',
    status: 'draft',
  }));
  const file = await temporaryFile(JSON.stringify({ data: { posts } }), 'ghost.json');
  const { counts } = await importInto(app, file);
  expect(counts).toEqual({ created: 1_000, skipped: 0, refused: 0 });
  expect(
    await rows(app, "select slug from posts where slug in ('same', 'same-2', 'same-1000') order by 1"),
  ).toHaveLength(3);
});
