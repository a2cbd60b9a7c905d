import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { importFile } from '../../server/features/moving/import-file.ts';
import type { ImportedRecordReport } from '../../shared/contract/moving.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { rowsOf, temporaryFile, temporaryFolder } from '../support/archives.ts';

const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;

interface Stored {
  title: string;
  is_draft: boolean;
  visibility: string;
  publish_at: Date | null;
}

/** What became of each record, by its title, and what was said of it. */
async function importInto(app: TestApp, file: string) {
  const siteId = await app.seed.ownSite();
  const reasons = new Map<string, string | null>();
  const onRecord = ({ title, reason }: ImportedRecordReport) => void reasons.set(title, reason);
  await importFile(app.deps, file, { siteId, actor, onRecord });
  const rows = await rowsOf<Stored>(
    app,
    `select title, is_draft, visibility, publish_at from posts where site_id = '${siteId}'
     union all select title, is_draft, visibility, publish_at from pages where site_id = '${siteId}'`,
  );
  const stateOf = ({ is_draft, visibility, publish_at }: Stored) => {
    if (publish_at) return 'scheduled';
    return is_draft ? 'draft' : visibility;
  };
  const told = rows.filter(({ title }) => reasons.has(title));
  return Object.fromEntries(told.map((row) => [row.title, [stateOf(row), reasons.get(row.title)]]));
}

async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

const yaml = (matter: string) => `---\n${matter}\n---\nText\n`;

test('what a folder says isn’t public is a draft with a note, and what it says is public is public', async () => {
  await using app = await startApp();
  const files: [matter: string, state: string, reason: string | null][] = [
    ['draft: true', 'draft', 'draft: true, so it is a draft here'],
    ['Draft: True', 'draft', 'draft: true, so it is a draft here'],
    ['DRAFT: yes', 'draft', 'draft: yes, so it is a draft here'],
    ['draft: "true"', 'draft', 'draft: true, so it is a draft here'],
    ['draft: 1', 'draft', 'draft: 1, so it is a draft here'],
    ['draft:', 'draft', 'draft is empty, so it is a draft here'],
    ['draft: maybe', 'draft', 'draft: maybe, so it is a draft here'],
    ['draft: {until: noon}', 'draft', 'draft is no plain value, so it is a draft here'],
    ['published: false', 'draft', 'published: false, so it is a draft here'],
    ['Published: no', 'draft', 'published: no, so it is a draft here'],
    ['publish: false', 'draft', 'publish: false, so it is a draft here'],
    ['public: "false"', 'draft', 'public: false, so it is a draft here'],
    ['status: draft', 'draft', 'status: draft, so it is a draft here'],
    ['status: in review', 'draft', 'status: in review, so it is a draft here'],
    ['visibility: members', 'draft', 'visibility: members, so it is a draft here'],
    ['private: true', 'draft', 'private: true, so it is a draft here'],
    ['password: hush', 'draft', 'it has a password, so it is a draft here'],
    ['permalink: false', 'draft', 'permalink: false, so it is a draft here'],
    ['build: {render: never}', 'draft', 'build is no plain value, so it is a draft here'],
    ['expiryDate: 2020-01-01', 'draft', 'expirydate: 2020-01-01, so it is a draft here'],
    ['expiryDate: soon', 'draft', 'expirydate: soon, so it is a draft here'],
    ['date: soon', 'draft', 'date: soon can not be read, so it is a draft here'],
    ['date: 2099-01-02', 'scheduled', 'it will be published on 2099-01-02 00:00 UTC'],
    [
      'date: 2020-01-01\npublishDate: 2099-01-02 10:00 +01:00',
      'scheduled',
      'it will be published on 2099-01-02 09:00 UTC',
    ],
    ['pubDate: Jul 08 2099', 'scheduled', 'it will be published on 2099-07-08 00:00 UTC'],
    ['date: 2099-01-02\ndraft: true', 'draft', 'draft: true, so it is a draft here'],
    ['visibility: unlisted', 'unlisted', null],
    ['eleventyExcludeFromCollections: true', 'unlisted', null],
    ['draft: false', 'public', null],
    ['draft: No', 'public', null],
    ['published: true', 'public', null],
    ['published: 2020-01-02', 'public', null],
    ['status: Published', 'public', null],
    ['expiryDate: 2099-01-01', 'public', null],
    ['expiryDate:', 'public', null],
    ['password: ""', 'public', null],
  ];
  const titled = (index: number, matter: string) => yaml(`title: T${index}\n${matter}`);
  const folder = await folderOf({
    ...Object.fromEntries(files.map(([matter], index) => [`${index}.md`, titled(index, matter)])),
    '_drafts/thought.md': '# In drafts\n',
    'drafts/thought.md': '# In drafts, too\n',
    '_hidden.md': '# With a line below\n',
    '_posts/2020-01-02-shown.md': '# In posts\n',
    'after.md': '\n\n---\ntitle: After a blank line\ndraft: true\n---\nText\n',
    'dots.md': '---\ntitle: Closed by dots\ndraft: true\n...\nText\n',
    'toml.md': '+++\ntitle = "In TOML"\ndraft = true\ndate = 2020-01-01T10:00:00Z\n+++\nText\n',
    'toml-later.md': '+++\ntitle = "In TOML, later"\ndate = 2099-01-01\n+++\nText\n',
    'json.md': '{\n  "title": "In JSON",\n  "draft": true\n}\n\nText\n',
    'broken.md': '---\ntitle: [not closed\npublished: false\n---\n# Broken\n',
    'utf16.md': Buffer.from('\ufeff---\ntitle: In UTF-16\ndraft: true\n---\n', 'utf16le'),
    'README.md': '# Read me\n',
    'deep/README.md': '# Read me below\n',
  });

  const found = await importInto(app, folder);

  const expected = files.map(([, state, reason], index) => [`T${index}`, [state, reason]]);
  expect(found).toEqual({
    ...Object.fromEntries(expected),
    'In drafts': ['draft', 'it is in _drafts, so it is a draft here'],
    'In drafts, too': ['draft', 'it is in drafts, so it is a draft here'],
    'With a line below': ['draft', 'it is in _hidden.md, so it is a draft here'],
    'In posts': ['public', null],
    'After a blank line': ['draft', 'draft: true, so it is a draft here'],
    'Closed by dots': ['draft', 'draft: true, so it is a draft here'],
    'In TOML': ['draft', 'draft: true, so it is a draft here'],
    'In TOML, later': ['scheduled', 'it will be published on 2099-01-01 00:00 UTC'],
    'In JSON': ['draft', 'draft: true, so it is a draft here'],
    Broken: ['draft', expect.stringMatching(/^front matter: .*, so it is a draft here$/)],
    'In UTF-16': ['draft', 'draft: true, so it is a draft here'],
    'Read me below': ['public', null],
  });
});

test('of a vault of notes only those that say so are public', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    '.obsidian/app.json': '{}',
    'diary.md': '# Diary\n',
    'shown.md': yaml('title: Shown\npublish: true'),
    'kept.md': yaml('title: Kept\npublish: false'),
    'later.md': yaml('title: Later\npublish: true\ndate: 2099-01-01'),
  });
  expect(await importInto(app, folder)).toEqual({
    Diary: ['draft', 'it is a note that does not say that it is public, so it is a draft here'],
    Shown: ['public', null],
    Kept: ['draft', 'publish: false, so it is a draft here'],
    Later: ['draft', 'its date is 2099-01-01 00:00 UTC, so it is a draft here'],
  });
});

test('what Ghost keeps from visitors is a draft with a note, or behind its tier', async () => {
  await using app = await startApp();
  const past = '2024-01-02T10:00:00.000Z';
  const later = '2099-01-02T10:00:00.000Z';
  const row = (title: string, fields: object) => ({
    ...{ id: title, title, html: '<p>.</p>', type: 'post', status: 'published', visibility: 'public' },
    ...{ created_at: past, published_at: past },
    ...fields,
  });
  const gated =
    '<p>For all</p><!--kg-gated-block:begin nonMember:false memberSegment:"status:free,status:-free" --><p>For members</p><!--kg-gated-block:end-->';
  const posts = [
    row('Draft', { status: 'draft', published_at: null }),
    row('Scheduled', { status: 'scheduled', published_at: later }),
    row('Was due', { status: 'scheduled' }),
    row('Undated', { status: 'scheduled', published_at: null }),
    row('Unknown', { status: 'archived' }),
    row('Dated ahead', { published_at: later }),
    row('By mail', { status: 'sent' }),
    row('Partly', { html: gated }),
    row('For visitors', { html: gated.replace('nonMember:false', 'nonMember:true') }),
    row('Public', {}),
    row('Public page', { type: 'page' }),
    row('Paid page', { type: 'page', visibility: 'paid' }),
    row('Members page', { type: 'page', visibility: 'members' }),
    row('Scheduled page', { type: 'page', status: 'scheduled', published_at: later }),
  ];
  const file = await temporaryFile(JSON.stringify({ db: [{ data: { posts } }] }), 'ghost.json');

  expect(await importInto(app, file)).toEqual({
    Draft: ['draft', 'it was a draft, so it is a draft here'],
    Scheduled: ['scheduled', 'it will be published on 2099-01-02 10:00 UTC'],
    'Was due': [
      'draft',
      'it was to be published on 2024-01-02 10:00 UTC, which has passed, so it is a draft here',
    ],
    Undated: ['draft', 'when it was to be published can not be read, so it is a draft here'],
    Unknown: ['draft', 'its status there was archived, so it is a draft here'],
    'Dated ahead': ['draft', 'its date is 2099-01-02 10:00 UTC, so it is a draft here'],
    'By mail': ['private', 'it was sent by e-mail only, so it is private here'],
    Partly: ['draft', 'a part of it is for members only, so it is a draft here'],
    'For visitors': ['public', null],
    Public: ['public', null],
    'Public page': ['public', null],
    'Paid page': [
      'draft',
      'it is not for everybody there (paid), and pages have no tiers, so it is a draft here',
    ],
    'Members page': [
      'draft',
      'it is not for everybody there (members), and pages have no tiers, so it is a draft here',
    ],
    'Scheduled page': ['scheduled', 'it will be published on 2099-01-02 10:00 UTC'],
  });
});

test('what WordPress keeps from visitors is a draft with a note', async () => {
  await using app = await startApp();
  let id = 0;
  const item = (title: string, fields: Readonly<Record<string, string>>, more = '') => {
    id += 1;
    const all = {
      ...{ 'wp:post_id': String(id), 'wp:post_type': 'post', 'wp:status': 'publish', 'wp:post_password': '' },
      ...{
        'wp:post_date': '2024-01-02 11:00:00',
        'wp:post_date_gmt': '2024-01-02 10:00:00',
        'content:encoded': '.',
      },
      ...fields,
    };
    const tags = Object.entries(all).map(([name, text]) => `<${name}><![CDATA[${text}]]></${name}>`);
    return `<item><title>${title}</title>${tags.join('')}${more}</item>`;
  };
  const meta = (key: string, value: string) =>
    `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`;
  const later = { 'wp:post_date_gmt': '2099-01-02 10:00:00' };
  const items = [
    item('Draft', { 'wp:status': 'draft', 'wp:post_date_gmt': '0000-00-00 00:00:00' }),
    item('Pending', { 'wp:status': 'pending' }),
    item('Private', { 'wp:status': 'private' }),
    item('Private page', { 'wp:status': 'private', 'wp:post_type': 'page' }),
    item('Password', { 'wp:post_password': 'hush' }),
    item('Password, later', { 'wp:post_password': 'hush', 'wp:status': 'future', ...later }),
    item('Future', { 'wp:status': 'future', ...later }),
    item('Future that has passed', { 'wp:status': 'future' }),
    item('Dated ahead', later),
    item('Of a plugin', { 'wp:status': 'archive' }),
    item('For subscribers', {}, meta('_jetpack_newsletter_access', 'paid_subscribers')),
    item('For everybody', {}, meta('_jetpack_newsletter_access', 'everybody')),
    item('Partly', {
      'content:encoded':
        '<!-- wp:premium-content/container --><p>Paid</p><!-- /wp:premium-content/container -->',
    }),
    item('By a shortcode', { 'content:encoded': 'Free [members_only]Paid[/members_only]' }),
    item('Public', {}),
    item('Without a moment in UTC', { 'wp:post_date_gmt': '0000-00-00 00:00:00' }),
  ];
  const file = await temporaryFile(`<rss><channel>${items.join('')}</channel></rss>`, 'wordpress.xml');

  expect(await importInto(app, file)).toEqual({
    Draft: ['draft', 'it was a draft, so it is a draft here'],
    Pending: ['draft', 'it waited for review, so it is a draft here'],
    Private: ['draft', 'it was private, so it is a draft here'],
    'Private page': ['draft', 'it was private, so it is a draft here'],
    Password: ['draft', 'it has a password, so it is a draft here'],
    'Password, later': ['draft', 'it has a password, so it is a draft here'],
    Future: ['scheduled', 'it will be published on 2099-01-02 10:00 UTC'],
    'Future that has passed': [
      'draft',
      'it was to be published on 2024-01-02 10:00 UTC, which has passed, so it is a draft here',
    ],
    'Dated ahead': ['draft', 'its date is 2099-01-02 10:00 UTC, so it is a draft here'],
    'Of a plugin': ['draft', 'its status there was archive, so it is a draft here'],
    'For subscribers': [
      'draft',
      'it is not for everybody there (_jetpack_newsletter_access), so it is a draft here',
    ],
    'For everybody': ['public', null],
    Partly: [
      'draft',
      'a part of it is not for everybody there (<!-- wp:premium-content/), so it is a draft here',
    ],
    'By a shortcode': ['draft', 'a part of it is not for everybody there ([members_), so it is a draft here'],
    Public: ['public', null],
    'Without a moment in UTC': ['public', null],
  });
});

test('what is empty is unset, and what is no text is told of in words', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    'a.md': '---\ntitle:\nslug: ~\ntags:\n  - \n  - one\n  - {name: two}\n---\n# The heading\n',
    'b.md': '---\ntitle: {a: 1}\nslug: [x]\ntags: null\n---\n# Another heading\n',
    'c.md': '---\ntitle: 2024\nslug: 12\ntags: [1, true]\n---\n',
    'd.md': '---\ntitle: null\n---\nNo heading\n',
  });
  const siteId = await app.seed.ownSite();
  const reasons: (string | null)[] = [];
  await importFile(app.deps, folder, { siteId, actor, onRecord: ({ reason }) => void reasons.push(reason) });
  expect(await rowsOf(app, 'select title, slug, tags from posts order by title collate "C"')).toEqual([
    { title: '2024', slug: '12', tags: ['1', 'true'] },
    { title: 'Another heading', slug: 'another-heading', tags: [] },
    { title: 'The heading', slug: 'the-heading', tags: ['one'] },
    { title: 'd', slug: 'd', tags: [] },
  ]);
  expect(reasons).toEqual([
    'tags: has what is no text, which was left out',
    'title: is no text, it was left out; slug: is no text, it was left out',
    null,
    null,
  ]);
});

test('files that are not UTF-8 are read as windows-1252 with a note, and UTF-16 by its mark', async () => {
  await using app = await startApp();
  const old = (text: string) => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');
  const folder = await folderOf({
    'a.md': old('# Café à 3 €\n'),
    'b.md': Buffer.from('\ufeff# Größe\n', 'utf16le'),
    'c.md': Buffer.from('\ufeff# Größe 2\n', 'utf16le').swap16(),
    'd.md': Buffer.from('\ufeff# Größe 3\n'),
  });
  const note = 'it is not UTF-8, so it was read as windows-1252';
  expect(await importInto(app, folder)).toMatchObject({
    'Café à 3 €': ['public', note],
    Größe: ['public', null],
    'Größe 2': ['public', null],
    'Größe 3': ['public', null],
  });

  const item = '<item><title>Crème</title><wp:post_id>1</wp:post_id><wp:status>publish</wp:status></item>';
  const xml = `<?xml version="1.0"?><rss><channel>${item}</channel></rss>`;
  expect(await importInto(app, await temporaryFile(old(xml), 'a.xml'))).toEqual({ Crème: ['public', note] });
  const wide = await temporaryFile(Buffer.from(`\ufeff${xml.replace('>1<', '>2<')}`, 'utf16le'), 'b.xml');
  expect(await importInto(app, wide)).toEqual({ Crème: ['public', null] });

  const json = '{"data": {"posts": [{"id": 1, "title": "Crème", "status": "published"}]}}';
  expect(await importInto(app, await temporaryFile(old(json), 'a.json'))).toEqual({
    Crème: ['public', note],
  });
  const wideJson = await temporaryFile(Buffer.from(`\ufeff${json.replace('1', '2')}`, 'utf16le'), 'b.json');
  expect(await importInto(app, wideJson)).toEqual({ Crème: ['public', null] });
});
