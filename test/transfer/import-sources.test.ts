import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportOptions } from '../../server/transfer/import-target.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folderOf, temporaryFile, temporaryFolder } from '../support/archives.ts';
import { pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';

const sample = (name: string) => path.join(import.meta.dirname, '../samples', name);

/** The hash of the database in the Ghost sample. Ghost creates it together with the database. */
const hashOfGhost = '0d3fbd4c-5b0e-4f8e-9a5e-4c9f6d1c7a10';

async function importInto(app: TestApp, file: string, options: ImportOptions = {}) {
  const report: ImportedRecordReport[] = [];
  const siteId = await app.seed.ownSite();
  const { counts } = await importFile(app.deps, file, {
    siteId,
    actor: { kind: 'operator', id: 'ada', name: 'ada' },
    ...options,
    onRecord: (one) => report.push(one),
  });
  return { report, counts };
}

/** Returns source, outcome and reason of each reported record. */
const told = (report: readonly ImportedRecordReport[]) =>
  report.map(({ collection, source_id, outcome, reason }) => [`${collection} ${source_id}`, outcome, reason]);

const rows = (app: TestApp, query: string) => app.deps.database.em.execute(query);

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
      'Not imported: set these values in Look and settings or in Profile (title: Letters from the shed)',
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

test.for(['ghost.json', 'wordpress.xml', 'markdown'])(
  'records of %s that were imported before are skipped, even if they were changed or deleted since',
  async (name) => {
    await using app = await startApp();
    const first = await importInto(app, sample(name));
    await rows(
      app,
      "update posts set slug = 'other', title = 'Other' where id = (select min(id) from posts)",
    );
    await rows(app, 'delete from posts where id = (select max(id) from posts)');

    const dry = await importInto(app, sample(name), { dryRun: true });
    const again = await importInto(app, sample(name));

    expect(again.counts).toMatchObject({ created: 0, refused: first.counts.refused });
    expect(dry.report).toEqual(again.report);
    const reasons = again.report.filter(({ reason }) => reason === 'Already imported');
    expect(reasons).toHaveLength(first.counts.created);
  },
);

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

test.for([
  {
    name: 'WordPress',
    file: 'wordpress.xml',
    written: (export_: string) => export_,
    another: (export_: string) =>
      export_.replaceAll('https://tides.example.com', 'https://hills.example.com'),
    moved: (export_: string) => export_.replaceAll('https://tides.example.com', 'http://tides.example.com/'),
  },
  {
    name: 'old Ghost',
    file: 'ghost.json',
    // Ghost before version 1 counted IDs from 1.
    written: (export_: string) => export_.replaceAll('66a0c0ffee000000000000', ''),
    another: (export_: string) => export_.replace(hashOfGhost, 'f00dfeed-0000-4000-8000-000000000002'),
    moved: (export_: string) => export_.replace('"version": "6.0.0"', '"version": "6.1.0"'),
  },
])(
  'two $name sites with the same ids are imported into one site, each record once',
  async ({ file, ...change }) => {
    await using app = await startApp();
    const first = change.written(await readFile(sample(file), 'utf8'));
    const second = await temporaryFile(change.another(first), file);
    const again = await temporaryFile(change.moved(first), file);

    const { counts } = await importInto(app, await temporaryFile(first, file));
    const posts = () => rows(app, 'select title from posts order by title');
    const ofFirst = (await posts()).length;
    const { report } = await importInto(app, second);
    const ofBoth = (await posts()).length;
    const repeated = await importInto(app, again);

    expect(counts.created).toBeGreaterThan(0);
    expect(ofBoth).toBe(2 * ofFirst);
    expect(report.filter(({ reason }) => reason?.includes('Already imported'))).toEqual([]);
    expect(repeated.counts.created).toBe(0);
  },
);

test('a text that differs from an imported one of the same name is a conflict, and equal texts are skipped', async () => {
  await using app = await startApp();
  const post = (title: string, body: string) => `---\ntitle: ${title}\n---\n${body}\n`;
  const long = 'A long paragraph about ropes. '.repeat(200);
  const linked =
    'More about oars and ropes: [next](next.md#part) ![Oar](oar.jpg) [[next#Part|so]] <img src="oar.jpg"> {{< youtube a >}}';
  const first = {
    'content/posts/draft.md': post('Draft', 'The first text.'),
    'content/posts/same.md': post('Same', 'Equal in both.'),
    'content/posts/linked.md': post('Linked', linked),
    'content/posts/long.md': post('Long', long),
    'content/posts/next.md': post('Next', 'Text'),
    'content/posts/edited.md': post('Edited', 'As imported.'),
    'content/posts/deleted.md': post('Deleted', 'As imported.'),
    'content/posts/oar.jpg': await pictureElement('jpeg'),
  };
  expect((await importInto(app, await folderOf(first))).counts).toMatchObject({ created: 8, refused: 0 });
  const token = await app.seed.ownerToken();
  const { studio } = ownerClient(app.baseUrl, token);
  const { items } = await studio.posts.list.query({ per_page: 50 });
  const idOf = (title: string) => String(items.find((one) => one.title === title)?.id);
  await studio.posts.update.mutate({ id: idOf('Edited'), title: 'Changed', content: 'Changed here.' });
  await studio.posts.delete.mutate({ id: idOf('Deleted') });

  // Imports equal files again, from another folder.
  const moved = Object.fromEntries(
    Object.entries(first).map(([name, text]) => [name.replace('content/', 'a/b/'), text]),
  );
  const again = await importInto(app, await folderOf(moved));
  expect(
    again.report
      .map(({ outcome, reason }) => [outcome, reason])
      .filter(([, why]) => why !== 'Already imported'),
  ).toEqual([['skipped', 'Not imported: no post or page uses this file']]);

  // Different files with the same names.
  const other = {
    'src/content/blog/draft.md': post('Draft', 'Another text.'),
    'src/content/blog/same.md': post('Same', 'Equal in both.'),
    'src/content/blog/edited.md': post('Edited', 'Neither this nor that.'),
    'src/content/blog/deleted.md': post('Deleted', 'Another one.'),
    'src/content/blog/next.md': post('Another title', 'Text'),
    'src/content/blog/linked.md': post('Renamed there', linked),
    'src/content/blog/new.md': post('New', '[draft](draft.md) [same](same.md)'),
  };
  const conflict = (name: string, title: string) => [
    ...[`posts src/content/blog/${name}`, 'refused'],
    `Not imported: a different text was imported before as content/posts/${name} (record ${idOf(title)})`,
  ];
  for (const dryRun of [true, false]) {
    const { report } = await importInto(app, await folderOf(other), { dryRun });
    expect(told(report).toSorted()).toEqual([
      conflict('deleted.md', 'Deleted'),
      conflict('draft.md', 'Draft'),
      conflict('edited.md', 'Edited'),
      ['posts src/content/blog/linked.md', 'skipped', 'Already imported'],
      ['posts src/content/blog/new.md', 'created', 'Links to content that was not imported: draft.md'],
      conflict('next.md', 'Next'),
      ['posts src/content/blog/same.md', 'skipped', 'Already imported'],
    ]);
  }
  expect((await studio.posts.get.query({ id: idOf('Draft') })).content).toBe('The first text.');
});

test.for([
  [
    'Ghost, before its ids were unique and without a name of its database',
    (text: string) =>
      JSON.stringify({
        db: [
          {
            data: {
              posts: [{ id: 5, title: text, slug: text, html: `<p>${text} &amp; more</p>`, status: 'draft' }],
            },
          },
        ],
      }),
    'posts 5',
  ],
  [
    'WordPress, without the address of its site',
    (text: string) =>
      `<rss><channel><item><title>T</title><wp:post_id>5</wp:post_id><wp:post_type>post</wp:post_type><wp:status>draft</wp:status><content:encoded><![CDATA[<p>${text} <a href="/x">link</a></p>]]></content:encoded></item></channel></rss>`,
    'posts 5',
  ],
] as const)('%s: a different text with the same id is a conflict', async ([, fileOf, id]) => {
  await using app = await startApp();
  const outcomes = async (text: string) =>
    told((await importInto(app, await temporaryFile(fileOf(text), 'export'))).report).map(
      ([, outcome]) => outcome,
    );
  expect(await outcomes('one')).toEqual(['created']);
  expect(await outcomes('one')).toEqual(['skipped']);
  const { report } = await importInto(app, await temporaryFile(fileOf('two'), 'export'));
  expect(told(report)).toEqual([
    [
      id,
      'refused',
      expect.stringMatching(/^Not imported: a different text was imported before as 5 \(record \w{15}\)$/),
    ],
  ]);
});
