import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { folderOf, temporaryFile } from '../support/archives.ts';
import { pictureElement } from '../support/images.ts';
import { importInto, rows, sample, told } from '../support/import-sample.ts';
import { ownerClient } from '../support/rpc.ts';

/** The hash of the database in the Ghost sample. Ghost creates it together with the database. */
const hashOfGhost = '0d3fbd4c-5b0e-4f8e-9a5e-4c9f6d1c7a10';

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
] as const)('%s: a different text with the ID of an imported one is a conflict', async ([, fileOf, id]) => {
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
