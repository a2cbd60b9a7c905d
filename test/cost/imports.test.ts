import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { test } from 'vitest';
import { keyOf } from '../../server/transfer/import-plan.ts';
import { findParts, placeRecord } from '../../server/transfer/rewrite-record.ts';
import { importExport } from '../../shared/contract/features/import-export.ts';
import { tarTree } from '../../shared/importers/file-tree.ts';
import { chunksOf, type ForeignSite, SourceError, type SourceFile } from '../../shared/importers/index.ts';
import { readMarkdown } from '../../shared/importers/markdown.ts';
import { readMedium } from '../../shared/importers/medium.ts';
import { readPeople } from '../../shared/importers/people-list.ts';
import { maxBodyLength, rewriteReferences } from '../../shared/importers/references.ts';
import { readSubstack } from '../../shared/importers/substack.ts';
import { readWordPress } from '../../shared/importers/wordpress.ts';
import { openUnnamedFile } from '../../shared/runtime/file-system.ts';
import { expectLinear } from '../support/expect-linear.ts';

// Hostile exports of other systems: the time to read them must be linear in their length.

async function readAs(reader: (file: SourceFile, now: Date) => Promise<ForeignSite>, content: Buffer) {
  await using file = await openUnnamedFile('test');
  await file.writeFile(content);
  const site = await reader(file, new Date(0));
  for await (const record of whatIsRead(site))
    rewriteReferences(String(record.values?.content ?? ''), site.form, (reference) => {
      site.placesOf(reference, record);
      return null;
    });
}

/** A refused file has cost as much time as the part of it that was read. */
async function* whatIsRead(site: ForeignSite) {
  try {
    yield* site.records();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
  }
}

const readMarkdownArchive = async (file: SourceFile, now: Date) =>
  await readMarkdown(await tarTree(file, importExport.max), now);

const readSubstackArchive = async (file: SourceFile, now: Date) =>
  readSubstack(await tarTree(file, importExport.max), now);

const readMediumArchive = async (file: SourceFile, now: Date) =>
  readMedium(await tarTree(file, importExport.max), now);

const readPeopleList = async (file: SourceFile) => readPeople(() => chunksOf(file));

const readExport = (file: SourceFile, now: Date) => readWordPress(() => chunksOf(file), now);

const rows = (size: number, row: (at: number) => string) =>
  Array.from({ length: size / 10 }, (_, at) => row(at)).join('\n');

const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

test.for([
  [
    'names that are all different',
    (size: number) => Array.from({ length: size / 10 }, (_, at) => `name${at}: 1`).join('\n'),
  ],
  ...['[', '{a: ', '- ', '? ', '&a ', '!!str ', '"', '[]', ': ', '%a\n', '*a ', 'a: >\n b\n', '<<: *a\n'].map(
    (piece) => [`nothing but ${JSON.stringify(piece)}`, (size: number) => filled(piece, size)] as const,
  ),
  ['blanks in a text', (size: number) => `a: b${' '.repeat(size)}c`],
] as const)('front matter with %s is read in linear time', async ([, front]) => {
  await expectLinear({
    make: (size) => archiveOf(`---\n${front(size)}\n---\nText\n`),
    read: async (content) => readAs(readMarkdownArchive, await content),
    bound: 64 * 1024,
    maxMs: 500,
  });
});

test.for([
  ['names that are all different', (size: number) => rows(size, (at) => `name${at} = 1`)],
  ['tables that are all different', (size: number) => rows(size, (at) => `[n.a${at}]`)],
  ...['[', 'a=[', 'a={a=', 'a.', '[a.', '[[a]]\n', '"', "'", '"""\n', '\\', '#', 'a=1979-', '1_', ' '].map(
    (piece) =>
      [`nothing but ${JSON.stringify(piece)}`, (size: number) => `a=${filled(piece, size)}`] as const,
  ),
] as const)('front matter in TOML with %s is read in linear time', async ([, front]) => {
  await expectLinear({
    make: (size) => archiveOf(`+++\n${front(size)}\n+++\nText\n`),
    read: async (content) => readAs(readMarkdownArchive, await content),
    bound: 64 * 1024,
    maxMs: 500,
  });
});

test.for(['{', '"', '{"a":', '\\', '"a":1,', '{}', '['])(
  'front matter in JSON that repeats %s is read in linear time',
  async (piece) => {
    await expectLinear({
      make: (size) => archiveOf(`{"a": ${filled(piece, size)}`),
      read: async (content) => readAs(readMarkdownArchive, await content),
      bound: 64 * 1024,
      maxMs: 500,
    });
  },
);

test.for([
  ['a heading with blanks', (size: number) => `# a${' '.repeat(size)}b`],
  ['a heading with marks', (size: number) => `# a${'#'.repeat(size)}b`],
  ['front matter that does not end', (size: number) => `---\n${filled('a: b\n', size)}`],
  ['lines that nearly end front matter', (size: number) => `---\n${filled('---    a\n', size)}`],
  ['nothing but lines', (size: number) => '\n'.repeat(size)],
  ...[
    '](',
    '![',
    '[[',
    '`',
    '``` ',
    'src="',
    "href='",
    '[a]:',
    '](<',
    '](a(',
    'srcset=a ',
    '![[a|',
    ']({{< ref ',
    '[[a#b\\|',
    '[[#\\',
    '~~~\na\n~~~\nb\n',
  ].map((piece) => [`nothing but ${JSON.stringify(piece)}`, (size: number) => filled(piece, size)] as const),
] as const)('imported Markdown with %s is read in linear time', async ([, text]) => {
  await expectLinear({
    make: (size) => archiveOf(text(size)),
    read: async (content) => readAs(readMarkdownArchive, await content),
    bound: importExport.recordBytes / 4,
    maxMs: 2_000,
  });
});

test.for([
  ['.obsidian/app.json', ' ^a'],
  ['.obsidian/app.json', '^a '],
  ['.obsidian/app.json', '![a\\|7'],
  ['.obsidian/app.json', '> - [!a'],
  ['.obsidian/app.json', '- > '],
  ['_config.yml', '# a {#b'],
  ['_config.yml', '# a\n{: #b'],
  ['_config.yml', '|\n{: #b}\n'],
  ['_config.yml', ' # {: #a}\n---\n'],
] as const)(
  'an imported text beside %s that repeats %j is read in linear time',
  async ([settings, piece]) => {
    await expectLinear({
      make: (size) => archiveOf(filled(piece, size), { [settings]: '{}' }),
      read: async (content) => readAs(readMarkdownArchive, await content),
      bound: maxBodyLength,
      maxMs: 2_000,
    });
  },
);

test.for([
  ['lost links', (size: number) => `# a\n\n${filled('[a](#b) ', size)}`],
  [
    'headings and links',
    (size: number) => `${filled('# 1 a\n', size / 2)}\n\n${filled('[a](#A) ', size / 2)}`,
  ],
  [
    'headings below each other',
    (size: number) => `${filled('# a\n', size / 2)}\n\n[[${filled('#A', size / 2)}]]`,
  ],
] as const)('link targets in an imported text with %s are found in linear time', async ([, text]) => {
  const record = { collection: 'posts', sourceId: 'a', title: 'A' };
  const planned = {
    slug: 'a',
    address: '/posts/a',
    redirects: [],
    notes: [],
    fragments: new Set(['b', 'A']),
  };
  const plan = { records: new Map([[keyOf(record), planned]]), places: new Map() };
  const site = { source: 'markdown', form: 'markdown', placesOf: () => [], async *records() {} } as const;
  await expectLinear({
    make: (size) => ({ ...record, values: { content: text(size) } }),
    read(written) {
      const here = { site, plan, files: new Map(), parts: new Map() };
      findParts(written, here);
      placeRecord(written, here);
    },
    bound: maxBodyLength / 4,
    maxMs: 8_000,
  });
});

test.for([
  ['scopes', '_config.yml', (size: number) => `defaults:\n${filled('- {scope: {path: a}}\n', size)}`],
  ['one long pattern', '_config.yml', (size: number) => `exclude: ["${filled('*p', size)}"]`],
  ['alternatives', 'hugo.yaml', (size: number) => `cascade: [{target: {path: "{${filled('p,', size)}}"}}]`],
  ['braces', 'hugo.yaml', (size: number) => `cascade: [{target: {path: "${filled('{p', size)}"}}]`],
  ['ignored files', 'hugo.yaml', (size: number) => `ignoreFiles: ["${filled('[p]?(', size)}"]`],
  ['lines', '.eleventyignore', (size: number) => filled('**p*\n', size)],
  ['a schema', 'src/content.config.ts', (size: number) => filled('draft: ', size)],
] as const)('settings of an imported folder with %s are read in linear time', async ([, name, settings]) => {
  await expectLinear({
    make: (size) => archiveOf('# Post', { [name]: settings(size), [`${'p'.repeat(900)}.md`]: '# Post' }),
    read: async (content) => readAs(readMarkdownArchive, await content),
    bound: 64 * 1024,
    maxMs: 500,
  });
});

/** Creates a list that repeats a piece. If every line of two bytes is a row, a quarter of the length suffices. */
const boundsOf = (piece: string) => {
  const part = piece === 'a\n' ? 128 : 32;
  return { bound: importExport.recordBytes / part, maxMs: 128_000 / part };
};

test.for(['"', ',', '\n', '"",', 'a\n', '\r'])(
  'a Substack list that repeats %j is read in linear time',
  async (piece) => {
    await expectLinear({
      make: (size) => archiveOf('', { 'posts.csv': `post_id,title\n${filled(piece, size)}` }),
      read: async (content) => readAs(readSubstackArchive, await content),
      ...boundsOf(piece),
    });
  },
);

test('a list of people with as many columns as rows is read in linear time', async () => {
  await expectLinear({
    make: (size) => {
      const columns = Array.from({ length: size / 12 }, (_, at) => at.toString(36));
      return Buffer.from(`email,${columns.join()}\n${filled('a@b.co\n', size / 2)}`);
    },
    read: async (content) => readAs(readPeopleList, content),
    bound: importExport.recordBytes / 32,
    maxMs: 4_000,
  });
});

test.for(['"', ',', ';', '\t', '\n', '"",', 'a\n', '\r', '\u00e9'])(
  'a list of people that repeats %j is read in linear time',
  async (piece) => {
    await expectLinear({
      make: (size) => Buffer.from(`email,name\n${filled(piece, size)}`, 'latin1'),
      read: async (content) => readAs(readPeopleList, content),
      ...boundsOf(piece),
    });
  },
);

test.for([
  '<h3 class="graf--title">',
  '<footer>',
  '<a href="',
  '" class="p-canonical"',
  '<',
  '&',
  'graf--title</h',
])('a Medium post that repeats %j is read in linear time', async (piece) => {
  await expectLinear({
    make: (size) =>
      archiveOf('', { 'posts/a.html': `<section data-field="body">${filled(piece, size)}<footer>` }),
    read: async (content) => readAs(readMediumArchive, await content),
    bound: importExport.recordBytes / 4,
    maxMs: 2_000,
  });
});

async function archiveOf(text: string, others: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(others)) tar.entry({ name }, content);
  tar.entry({ name: 'post.md' }, text);
  tar.finalize();
  return buffer(tar);
}

const itemOf = (fields: string) => `<rss><channel><item>${fields}</item></channel></rss>`;
const cdata = (text: string) => `<![CDATA[${text}]]>`;
const ofItem = (name: string, piece: string) => (size: number) =>
  itemOf(`<${name}>${cdata(filled(piece, size))}</${name}>`);

test.for([
  ['marks of blocks that do not end', ofItem('content:encoded', '<!-- wp:')],
  ['marks of blocks that nearly end', ofItem('content:encoded', '<!-- wp:a --')],
  [
    'one mark of a block that does not end',
    (size: number) => itemOf(`<content:encoded>${cdata(`<!-- wp:${'a'.repeat(size)}`)}</content:encoded>`),
  ],
  ...['[gallery ids=1', '[playlist ', '[gallery ids="1,2"]'].map(
    (piece) => [`shortcodes ${piece}`, ofItem('content:encoded', piece)] as const,
  ),
  ['tags in a title', ofItem('title', '<a')],
  ['entities in a title', ofItem('title', '&a')],
  ['blanks in a title', ofItem('title', ' ')],
  ['tags', (size: number) => itemOf(filled('<a>', size))],
  ['nested tags', (size: number) => itemOf(`${filled('<a>', size / 2)}${filled('</a>', size / 2)}`)],
  ['attributes', (size: number) => itemOf(`<a ${filled('b="c" ', size)}/>`)],
  ['an attribute that does not end', (size: number) => itemOf(`<a b="${'c'.repeat(size)}`)],
  ['categories', (size: number) => itemOf(filled('<category>a</category>', size - (size % 22)))],
  ['comments of XML', (size: number) => itemOf(filled('<!---->', size - (size % 7)))],
  ['nothing but the beginning of an item', (size: number) => `<rss>${filled('<item ', size)}`],
  [
    'nothing but pieces of text',
    (size: number) => `<rss><item>${filled('<![CDATA[]]>', size - (size % 12))}</item>`,
  ],
  [
    'an address with slashes',
    (size: number) => `<rss><link>http://a${'/'.repeat(size)}b</link><item></item>`,
  ],
  [
    'an address with blanks',
    (size: number) => `<rss>${filled(`<link>${' '.repeat(1_000)}`, size)}<item></item>`,
  ],
] as const)('a WordPress export with %s is read in linear time', async ([, file]) => {
  await expectLinear({
    make: (size) => Buffer.from(file(size)),
    read: (content) => readAs(readExport, content),
    bound: importExport.recordBytes / 4,
    maxMs: 3_000,
  });
});
