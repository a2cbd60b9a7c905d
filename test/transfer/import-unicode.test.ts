import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/features/import-export.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { pictureElement } from '../support/images.ts';
import { actor } from '../support/imported-states.ts';
import { zipOf } from '../support/zips.ts';

type Files = Readonly<Record<string, string | Buffer>>;

/**
 * Imports a file into a new site. Returns draft or public by title, and all values that depend on compared
 * names. IDs of media are removed.
 */
async function resultOf(app: TestApp, file: string) {
  const siteId = await app.seed.site();
  const report: ImportedRecordReport[] = [];
  await importFile(app.deps, file, { siteId, actor, onRecord: (record) => report.push(record) });
  const select = <Row extends object>(columns: string, table: string) =>
    rowsOf<Row>(app, `select ${columns} from ${table} where site_id = '${siteId}' order by 1`);
  const ofPosts = 'title, slug, is_draft, tags, content, cover';
  const posts = await select<{ content: string; title: string; is_draft: boolean; cover: string }>(
    ofPosts,
    'posts',
  );
  // Titles and bodies are stored in the form in which they were sent.
  const texts = posts.map(({ content, title, cover, ...names }) => ({
    ...names,
    title: title.normalize('NFC'),
    content: content.normalize('NFC').replace(/\/media\/[a-z0-9]{15}\//g, '/media/…/'),
    hasCover: cover !== '',
  }));
  const reasons = report.map(({ source_id, reason, outcome }) => [
    source_id,
    outcome,
    reason?.normalize('NFC'),
  ]);
  const redirects = await select('"from"', 'redirects');
  return {
    states: Object.fromEntries(texts.map((post) => [post.title, post.is_draft ? 'draft' : 'public'])),
    all: { texts, reasons: reasons.toSorted(), redirects, media: await select('name', 'media') },
  };
}

const matter = (title: string, more = '', body = 'Text') => `---\ntitle: ${title}\n${more}---\n${body}\n`;

const ghostPost = {
  ...{ id: '1', title: 'Offen', slug: 'offen', status: 'published', visibility: 'public', type: 'post' },
  ...{ html: '<p><img src="__GHOST_URL__/content/images/öl.jpg"></p>', published_at: '2024-01-02T10:00:00Z' },
};

const wordpressItem = (type: string, id: number, more: string) =>
  `<item><title>T${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type><wp:status>publish</wp:status><wp:post_date_gmt>2024-01-02 10:00:00</wp:post_date_gmt>${more}</item>`;

interface System {
  name: string;
  /** Files by name. Names inside texts and names of files are written in one form; tests convert them separately. */
  files: (jpeg: Buffer) => Files;
  states: Readonly<Record<string, 'draft' | 'public'>>;
}

const systems: readonly System[] = [
  {
    name: 'Jekyll',
    files: (jpeg) => ({
      '_config.yml':
        'exclude: [geheimnisse-ü/]\ndefaults:\n  - scope: {path: "entwürfe"}\n    values: {published: false}\n',
      'entwürfe/a.md': matter('Entwurf'),
      'entwürfe/_posts/2024-01-03-b.md': matter('Entwurf mit Tag'),
      'geheimnisse-ü/c.md': matter('Ausgelassen'),
      '_posts/2024-01-02-schön.md': matter(
        'Schön',
        'tags: [Bücher]\nimage: /bilder/öl.jpg\nredirect_from: /früher/\n',
        '![Öl](/bilder/öl.jpg) ![Öl](/bilder/%C3%B6l.jpg) [mehr](/über.md)',
      ),
      'über.md': matter('Über', 'category: Bücher\n'),
      'bilder/öl.jpg': jpeg,
    }),
    states: {
      Entwurf: 'draft',
      'Entwurf mit Tag': 'draft',
      Ausgelassen: 'draft',
      Schön: 'public',
      Über: 'public',
    },
  },
  {
    name: 'Hugo',
    files: (jpeg) => ({
      'hugo.json': JSON.stringify({
        baseURL: '/',
        ignoreFiles: ['geheim-ü\\.md$'],
        cascade: [{ draft: true, target: { path: '/entwürfe/**' } }],
        module: { mounts: [{ source: 'content', target: 'content', excludeFiles: ['lücke/**'] }] },
        frontmatter: { publishDate: ['veröffentlicht'] },
      }),
      'content/entwürfe/a.md': matter('Entwurf'),
      'content/entwürfe/offen.md': matter('Offen', 'draft: false\n'),
      'content/lücke/b.md': matter('Ausgelassen'),
      'content/geheim-ü.md': matter('Geheim'),
      'content/später.md': matter('Später', 'veröffentlicht: 2099-01-02\n'),
      'content/übung/_index.md': matter('Übung', 'cascade:\n  private: true\n'),
      'content/übung/c.md': matter('In der Übung'),
      'content/schön.md': matter('Schön', 'aliases: [/früher]\n', '![Öl](/öl.jpg) [mehr](über.md)'),
      'content/über.md': matter('Über'),
      'static/öl.jpg': jpeg,
    }),
    states: {
      Entwurf: 'draft',
      Offen: 'public',
      Ausgelassen: 'draft',
      Geheim: 'draft',
      Später: 'draft',
      Übung: 'draft',
      'In der Übung': 'draft',
      Schön: 'public',
      Über: 'public',
    },
  },
  {
    name: 'Eleventy',
    files: (jpeg) => ({
      'eleventy.config.js': 'export default () => {};',
      '.eleventyignore': 'entwürfe/\n',
      '.gitignore': 'lücke/\n',
      'entwürfe/a.md': matter('Entwurf', 'draft: false\n'),
      'lücke/b.md': matter('Ausgelassen', 'draft: false\n'),
      'übung/übung.json': '{"draft": true}',
      'übung/c.md': matter('In der Übung'),
      'größe.md': matter('Größe'),
      'größe.11tydata.yaml': 'draft: false\n',
      'schön.md': matter('Schön', 'draft: false\ntags: [Bücher]\n', '![Öl](bilder/öl.jpg)'),
      'bilder/öl.jpg': jpeg,
    }),
    states: {
      Entwurf: 'draft',
      Ausgelassen: 'draft',
      'In der Übung': 'draft',
      Größe: 'public',
      Schön: 'public',
    },
  },
  {
    name: 'Astro',
    files: (jpeg) => ({
      'astro.config.mjs': 'export default {};',
      'src/content/bücher/a.md': matter('Buch', 'heroImage: ../../bilder/öl.jpg\n', '[mehr](./über.md)'),
      'src/content/bücher/über.md': matter('Über'),
      'entwürfe/a.md': matter('Entwurf'),
      'src/bilder/öl.jpg': jpeg,
    }),
    states: { Buch: 'public', Über: 'public', Entwurf: 'draft' },
  },
  {
    name: 'Obsidian',
    files: (jpeg) => ({
      'Vault/.obsidian/publish.json': '{"excluded": ["Entwürfe", "l\\u00fccke.md"]}',
      'Vault/Entwürfe/a.md': matter('Entwurf', 'publish: true\n'),
      'Vault/lücke.md': matter('Ausgelassen', 'publish: true\n'),
      'Vault/Schön.md': matter('Schön', 'publish: true\ntags: [Bücher]\n', '![[Öl.jpg]] [[Über uns|mehr]]'),
      'Vault/Über uns.md': matter('Über uns', 'publish: true\n'),
      'Vault/Bilder/Öl.jpg': jpeg,
    }),
    states: { Entwurf: 'draft', Ausgelassen: 'draft', Schön: 'public', 'Über uns': 'public' },
  },
  {
    name: 'Ghost',
    files: (jpeg) => ({
      'a.json': JSON.stringify({
        db: [
          {
            data: {
              posts: [{ ...ghostPost, feature_image: '__GHOST_URL__/content/images/öl.jpg' }],
              tags: [{ id: '7', name: 'Bücher', slug: 'buecher' }],
              posts_tags: [{ post_id: '1', tag_id: '7' }],
            },
          },
        ],
      }),
      'redirects.json': JSON.stringify([{ from: '/früher', to: '/offen/' }]),
      'images/öl.jpg': jpeg,
    }),
    states: { Offen: 'public' },
  },
  {
    name: 'Substack',
    files: () => ({
      'posts.csv':
        'post_id,is_published,type,audience,title,post_date\n1.übung,true,newsletter,everyone,Übung,2024-01-02T10:00:00Z\n2.geheim-ü,false,newsletter,everyone,Geheim,2024-01-02T10:00:00Z\n',
      'posts/1.übung.html': '<p>Text</p>',
      'posts/2.geheim-ü.html': '<p>Text</p>',
    }),
    states: { Übung: 'public', Geheim: 'draft' },
  },
];

/** Converts file names to one Unicode form, and the contents of files to another. */
const written = (files: Files, names: 'NFC' | 'NFD', contents: 'NFC' | 'NFD'): Files =>
  Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name.normalize(names),
      typeof content === 'string'
        ? content.normalize(contents).replace('\\u00fc', contents === 'NFC' ? '\\u00fc' : 'u\\u0308')
        : content,
    ]),
  );

async function tarOf(files: Files) {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name, mtime }, content);
  tar.finalize();
  return buffer(tar);
}

const mtime = new Date('2026-01-01');

test.for(systems)(
  'names of $name in NFC and NFD are equal, in any combination of file names and texts',
  async ({ name, files, states }) => {
    await using app = await startApp();
    const all = files(await pictureElement('jpeg'));
    const imported = async (...forms: ['NFC' | 'NFD', 'NFC' | 'NFD']) =>
      resultOf(app, await temporaryFile(zipOf(written(all, ...forms)), 'a.zip'));
    const usual = await imported('NFC', 'NFC');
    expect(usual.states).toEqual(states);
    if (name !== 'Substack') expect(JSON.stringify(usual.all.reasons)).not.toContain('not here');
    expect(await imported('NFD', 'NFC')).toEqual(usual);
    expect(await imported('NFC', 'NFD')).toEqual(usual);
    expect(await imported('NFD', 'NFD')).toEqual(usual);
  },
);

test('names in NFD are equal in a folder, a tar file and a zip file of macOS, which lacks the UTF-8 flag', async () => {
  await using app = await startApp();
  const jpeg = await pictureElement('jpeg');
  const [jekyll] = systems;
  const files = written(jekyll?.files(jpeg) ?? {}, 'NFD', 'NFC');
  const zips = [zipOf(files), zipOf(files, { isUnflagged: true })];
  const archives = await Promise.all(
    [...zips.map((zip) => [zip, 'a.zip'] as const), [await tarOf(files), 'a.tar'] as const].map(
      ([content, name]) => temporaryFile(content, name),
    ),
  );
  for (const file of [...archives, await folderOf(files)])
    expect((await resultOf(app, file)).states).toEqual(jekyll?.states);
});

test('WordPress: an image is found by its address in the other form', async () => {
  await using app = await startApp();
  const at = 'https://old.example/wp-content/uploads/öl.jpg';
  const items = [
    wordpressItem('attachment', 1, `<wp:attachment_url>${at.normalize('NFD')}</wp:attachment_url>`),
    wordpressItem(
      'post',
      2,
      `<content:encoded><![CDATA[<img src="${at.normalize('NFC')}"> <a href="/%c3%bcber/">mehr</a>]]></content:encoded><category domain="post_tag" nicename="b"><![CDATA[${'Bücher'.normalize('NFD')}]]></category>`,
    ),
    wordpressItem(
      'post',
      3,
      `<link>https://old.example/${encodeURIComponent('über'.normalize('NFD'))}/</link>`,
    ),
  ];
  const xml = `<rss><channel><link>https://old.example</link>${items.join('')}</channel></rss>`;
  const { all } = await resultOf(app, await temporaryFile(xml, 'a.xml'));
  expect(all.texts.find(({ title }) => title === 'T2')).toMatchObject({
    tags: ['Bücher'.normalize('NFC')],
    content: expect.stringContaining('href="/posts/t3"'),
  });
  expect(all.reasons.find(([id]) => id === '2')?.[2]).toBe(
    'Images still loaded from the old site: https://old.example/wp-content/uploads/öl.jpg'.normalize('NFC'),
  );
});

test('a folder that an earlier version imported with names in NFD is not imported again', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const files = { 'süß.md': matter('Süß'), 'bücher/a.md': matter('Buch') };
  await importFile(app.deps, await folderOf(files), { siteId, actor });
  const { database } = app.deps;
  await database.em.execute('update imported_records set source_id = normalize(source_id, nfd)');
  const again = await importFile(app.deps, await folderOf(written(files, 'NFD', 'NFC')), { siteId, actor });
  expect(again.counts).toEqual({ created: 0, skipped: 2, refused: 0 });
});
