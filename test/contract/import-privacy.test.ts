import { expect, test } from 'vitest';
import { folderArchive } from '../../client/studio/pages/import-export/folder-archive.ts';
import { importFile } from '../../server/features/import-export/import-file.ts';
import { startApp } from '../support/app.ts';
import { folderOf, rowsOf, temporaryFile } from '../support/archives.ts';
import { actor, draft, importInto, titled, yaml } from '../support/imported-states.ts';
import { zipOf } from '../support/zips.ts';

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
    [
      'base: &d {draft: true}\n<<: *d',
      'draft',
      'front matter left out: base; draft: true, so it is a draft here',
    ],
    ['build: {render: link}', 'draft', 'build is no plain value, so it is a draft here'],
    ['build: {Render: never}', 'draft', 'build is no plain value, so it is a draft here'],
    ['build: {render: always, list: never}', 'unlisted', null],
    ['build: {render: always, list: always}', 'public', null],
    ['build: {render: never}', 'draft', 'build is no plain value, so it is a draft here'],
    ['expiryDate: 2020-01-01', 'draft', 'expirydate: 2020-01-01, so it is a draft here'],
    ['expiryDate: soon', 'draft', 'expirydate: soon, so it is a draft here'],
    ['date: soon', 'draft', 'date: soon can not be read, so it is a draft here'],
    ['date: 2099-01-02', 'scheduled', 'it will be published on 2099-01-02 12:00 UTC'],
    [
      'date: 2020-01-01\npublishDate: 2099-01-02 10:00 +01:00',
      'scheduled',
      'it will be published on 2099-01-02 09:00 UTC',
    ],
    ['pubDate: Jul 08 2099', 'scheduled', 'it will be published on 2099-07-08 12:00 UTC'],
    ['date: 2099-01-02\ndraft: true', 'draft', 'draft: true, so it is a draft here'],
    ['visibility: unlisted', 'unlisted', null],
    ['isDraft: true', 'draft', 'isdraft: true, so it is a draft here'],
    ['is_published: false', 'draft', 'is_published: false, so it is a draft here'],
    ['archived: true', 'draft', 'archived: true, so it is a draft here'],
    ['membersOnly: true', 'draft', 'membersonly: true, so it is a draft here'],
    ['access: members', 'draft', 'access: members, so it is a draft here'],
    ['access: everyone', 'public', null],
    ['embargo: 2099-01-02\ndate: 2020-01-01', 'scheduled', 'it will be published on 2099-01-02 12:00 UTC'],
    ['robots: noindex', 'unlisted', 'search engines were not to list it, so it is in no list here'],
    ['sitemap: {disable: true}', 'unlisted', 'search engines were not to list it, so it is in no list here'],
    // Read at 2026-01-31 09:05 UTC, when it is the 30th yet at some places, and the 31st has passed at others.
    ['date: 2026-01-31', 'scheduled', 'it will be published on 2026-01-31 12:00 UTC'],
    ['date: 2026-01-30 22:00', 'scheduled', 'it will be published on 2026-01-31 10:00 UTC'],
    ['date: 2026-01-30 21:00', 'public', null],
    ['date: 2026-01-31 09:00 +00:00', 'public', null],
    ['expiryDate: 2026-01-31 23:00', 'draft', 'expirydate: 2026-01-31 23:00, so it is a draft here'],
    ['expiryDate: 2026-01-31 23:06', 'public', 'it was to end on 2026-01-31 09:06 UTC, and stays here'],
    ['eleventyExcludeFromCollections: true', 'unlisted', null],
    ['draft: false', 'public', null],
    ['draft: No', 'public', null],
    ['published: true', 'public', null],
    ['published: 2020-01-02', 'public', null],
    ['status: Published', 'public', null],
    ['expiryDate: 2099-01-01', 'public', 'it was to end on 2098-12-31 10:00 UTC, and stays here'],
    ['expiryDate:', 'public', null],
    ['password: ""', 'public', null],
  ];
  const folder = await folderOf({
    ...Object.fromEntries(files.map(([matter], index) => [`${index}.md`, titled(`T${index}`, matter)])),
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
    'In TOML, later': ['scheduled', 'it will be published on 2099-01-01 12:00 UTC'],
    'In JSON': ['draft', 'draft: true, so it is a draft here'],
    Broken: ['draft', expect.stringMatching(/^front matter: .*, so it is a draft here$/)],
    'In UTF-16': ['draft', 'draft: true, so it is a draft here'],
    'Read me below': ['public', null],
  });
});

test.for([
  {
    name: 'cascade of a section of Hugo',
    files: {
      'content/posts/_index.md': yaml('title: Posts\ncascade:\n  draft: true'),
      'content/posts/a.md': titled('Below'),
      'content/posts/deep/b.md': titled('Deeper'),
      'content/posts/c.md': titled('Says otherwise', 'draft: false'),
      'content/other/d.md': titled('Elsewhere'),
      'content/drafty/_index.md':
        '+++\ntitle = "List"\n[[cascade]]\n[cascade.target]\npath = "/drafty/in/**"\n[cascade.build]\nrender = "never"\n+++\n',
      'content/drafty/in/e.md': titled('In the target'),
      'content/drafty/f.md': titled('Outside of the target'),
      'content/broken/_index.md': '---\ntitle: [not closed\n---\n',
      'content/broken/g.md': titled('Below what can not be read'),
    },
    expected: {
      Posts: draft('draft: true, as content/posts/_index.md says'),
      Below: draft('draft: true, as content/posts/_index.md says'),
      Deeper: draft('draft: true, as content/posts/_index.md says'),
      'Says otherwise': ['public', null],
      Elsewhere: ['public', null],
      List: ['public', null],
      broken: ['draft', expect.stringContaining('front matter: ')],
      'In the target': draft('build is no plain value, as content/drafty/_index.md says'),
      'Outside of the target': ['public', null],
      'Below what can not be read': draft('content/broken/_index.md has front matter that can not be read'),
    },
  },
  {
    name: 'settings of Hugo',
    files: {
      'hugo.toml':
        'baseURL = "https://example.org"\nignoreFiles = ["\\\\.secret\\\\.md$"]\n[[cascade]]\ndraft = true\n[cascade.target]\npath = "{/hidden,/hidden/**}"\n',
      'archetypes/default.md': titled('Model'),
      'content/hidden/a.md': titled('Hidden'),
      'content/a.secret.md': titled('Ignored'),
      'content/a/index.md': titled('Page'),
      'content/a/notes.md': titled('Beside a page'),
      'content/b.md': titled('Shown'),
    },
    expected: {
      Model: draft('it is outside of content/'),
      Hidden: draft('draft: true, as hugo.toml says'),
      Ignored: draft('hugo.toml says that it is ignored'),
      Page: ['public', null],
      'Beside a page': draft('it belongs to the page beside it'),
      Shown: ['public', null],
    },
  },
  {
    name: 'defaults of Jekyll',
    files: {
      '_config.yml':
        'defaults:\n  - scope: {path: ""}\n    values: {author: Ada}\n  - scope: {path: notes, type: posts}\n    values: {published: false}\n  - scope: {path: "club/*/inner"}\n    values: {published: false}\nexclude: [private/, TODO.md]\n',
      'notes/_posts/2020-01-02-a.md': titled('In the scope'),
      'notes/b.md': titled('Of another kind'),
      'club/x/inner/c.md': titled('In a pattern'),
      'private/d.md': titled('Excluded'),
      'TODO.md': titled('Excluded by its name'),
      '_posts/2020-01-02-e.md': titled('Shown'),
    },
    expected: {
      'In the scope': draft('published: false, as _config.yml says'),
      'Of another kind': ['public', null],
      'In a pattern': draft('published: false, as _config.yml says'),
      Excluded: draft('_config.yml says that it is left out'),
      'Excluded by its name': draft('_config.yml says that it is left out'),
      Shown: ['public', null],
    },
  },
  {
    name: 'defaults of Jekyll that can not be read',
    files: { 'docs/_config.yml': 'defaults: [', 'docs/a.md': titled('Below'), 'b.md': titled('Beside') },
    expected: { Below: draft('docs/_config.yml can not be read'), Beside: ['public', null] },
  },
  {
    name: 'data of Eleventy',
    files: {
      'posts/posts.json': '{"draft": true}',
      'posts/a.md': titled('Of the folder'),
      'posts/b.md': titled('Of its own', 'draft: false'),
      'notes/notes.11tydata.json': '{"eleventyExcludeFromCollections": true}',
      'notes/deep/a.md': titled('In no list'),
      'notes/hushed.md': titled('Hushed'),
      'notes/hushed.11tydata.json': '{"permalink": false}',
      'blog/blog.11tydata.js': 'export default { tags: ["posts"] }',
      'blog/a.md': titled('By a program'),
      'work/work.11tydata.cjs': 'module.exports = { eleventyComputed: { permalink: () => false } }',
      'work/a.md': titled('Hidden by a program'),
      '.eleventyignore': '# not these\nsecret/**\nlater.md\n',
      'secret/a.md': titled('Ignored'),
      'later.md': titled('Ignored by name'),
      'eleventy.config.js': 'export default (config) => { config.ignores.add("kept/**"); };',
      'kept/a.md': titled('Ignored by the settings'),
      'c.md': titled('Shown'),
    },
    expected: {
      'Ignored by the settings': draft('eleventy.config.js says that it is left out'),
      'Of the folder': draft('draft: true, as posts/posts.json says'),
      'Of its own': ['public', null],
      'In no list': ['unlisted', null],
      Hushed: draft('permalink: false, as notes/hushed.11tydata.json says'),
      'By a program': ['public', 'blog/blog.11tydata.js is a program, which was not run'],
      'Hidden by a program': draft('work/work.11tydata.cjs is a program that may hide it, and was not run'),
      Ignored: draft('.eleventyignore says that it is left out'),
      'Ignored by name': draft('.eleventyignore says that it is left out'),
      Shown: ['public', null],
    },
  },
  {
    name: 'what Eleventy is told of folders',
    files: {
      'eleventy.config.js': 'export default (config) => ({ dir: { input: "src" } });',
      '.gitignore': 'private/\n/src/here.md\n',
      'notes/a.md': titled('Outside of what is read'),
      'src/private/b.md': titled('Ignored at any depth'),
      'src/here.md': titled('Ignored at its place'),
      'src/deep/here.md': titled('Elsewhere by that name'),
    },
    expected: {
      'Outside of what is read': draft('it is outside of src/'),
      'Ignored at any depth': draft('.gitignore says that it is left out'),
      'Ignored at its place': draft('.gitignore says that it is left out'),
      'Elsewhere by that name': ['public', null],
    },
  },
  {
    name: 'settings whose content was left behind',
    files: { '_config.yml': '', 'a.md': titled('Below') },
    expected: { Below: draft('_config.yml can not be read') },
  },
  {
    name: 'settings of Hugo that name no address',
    files: {
      'hugo.toml': 'title = "A site"\n',
      'docs/internal.md': titled('Outside'),
      'content/a.md': titled('Shown'),
    },
    expected: { Outside: draft('it is outside of content/'), Shown: ['public', null] },
  },
  {
    name: 'a program of Eleventy for all',
    files: {
      'src/_data/eleventyComputed.js':
        'export default { permalink: (data) => data.shown && data.permalink };',
      'src/a.md': titled('Below'),
      'b.md': titled('Outside'),
    },
    expected: {
      Below: draft('src/_data/eleventyComputed.js is a program that may hide it, and was not run'),
      Outside: ['public', null],
    },
  },
  {
    name: 'a pattern of Astro’s collections',
    files: {
      'src/content.config.ts':
        "const notes = defineCollection({ loader: glob({ base: './notes', pattern: ['**/*.md', '!private/**', '!**/kept.md'] }) });",
      'notes/private/a.md': titled('Left out'),
      'notes/b.md': titled('Shown'),
      'kept.md': titled('Left out at the top'),
    },
    expected: {
      'Left out at the top': draft('src/content.config.ts says that it is left out'),
      'Left out': draft('src/content.config.ts says that it is left out'),
      Shown: ['public', null],
    },
  },
  {
    name: 'the schema of Astro',
    files: {
      'src/content.config.ts':
        'const blog = defineCollection({ schema: z.object({ title: z.string(), draft: z.boolean().default(true) }) });',
      'src/content/blog/a.md': titled('Says nothing'),
      'src/content/blog/b.md': titled('Says that it is shown', 'draft: false'),
      'src/content/blog/_c.md': titled('Left out', 'draft: false'),
    },
    expected: {
      'Says nothing': draft('draft: true, as src/content.config.ts says'),
      'Says that it is shown': ['public', null],
      'Left out': draft('it is in _c.md'),
    },
  },
])('what $name hides is hidden, and only that', async ({ files, expected }) => {
  await using app = await startApp();
  expect(await importInto(app, await folderOf({ ...files }))).toEqual(expected);
});

test('a folder that is chosen in the studio comes with the files that hide its texts', async () => {
  await using app = await startApp();
  const files = {
    'jekyll/_config.yml': 'exclude: [private/]\n',
    'jekyll/private/a.md': titled('Left out by Jekyll'),
    'hugo/hugo.toml': '[[cascade]]\ndraft = true\n',
    'hugo/content/b.md': titled('A draft of Hugo'),
    'eleventy/eleventy.config.js': 'export default () => {};',
    'eleventy/.eleventyignore': 'c.md\n',
    'eleventy/.gitignore': 'd.md\n',
    'eleventy/c.md': titled('Left out by Eleventy'),
    'eleventy/d.md': titled('Left out by git'),
    'e.md': titled('Shown'),
  };
  const chosen = Object.entries(files).map(([name, text]) =>
    Object.defineProperty(new File([text], name), 'webkitRelativePath', { value: `folder/${name}` }),
  );
  const archive = await folderArchive(chosen)?.bytes();

  expect(await importInto(app, await temporaryFile(Buffer.from(archive ?? []), 'folder.tar'))).toEqual({
    'Left out by Jekyll': draft('jekyll/_config.yml says that it is left out'),
    'A draft of Hugo': draft('draft: true, as hugo/hugo.toml says'),
    'Left out by Eleventy': draft('eleventy/.eleventyignore says that it is left out'),
    'Left out by git': draft('eleventy/.gitignore says that it is left out'),
    Shown: ['public', null],
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
    Later: ['draft', 'its date is 2099-01-01 12:00 UTC, so it is a draft here'],
  });
});

test.for([
  [{ excluded: ['Private/', 'plan.md'] }, ['Elsewhere', 'Kept', 'Shown']],
  [{ included: ['Garden'], excluded: ['garden/private'] }, ['Elsewhere', 'Plan', 'Private', 'Shown']],
  ['{"excluded": [', []],
] as const)(
  'of a vault that says which folders are left out, %j, none of these is public',
  async ([publish, shown]) => {
    await using app = await startApp();
    const folder = await folderOf({
      'Vault/.obsidian/publish.json': typeof publish === 'string' ? publish : JSON.stringify(publish),
      'Vault/Garden/a.md': yaml('title: Shown\npublish: true'),
      'Vault/Garden/silent.md': yaml('title: Silent'),
      'Vault/private/b.md': yaml('title: Private\npublish: true'),
      'Vault/Garden/Private/b.md': yaml('title: Kept\npublish: true'),
      'Vault/plan.md': yaml('title: Plan\npublish: true'),
      'Vault/notes.md': yaml('title: Elsewhere\npublish: true'),
    });
    const states = Object.entries(await importInto(app, folder));
    expect(states).toHaveLength(6);
    const isPublic = states.filter(([, [state]]) => state === 'public').map(([title]) => title);
    expect(isPublic.toSorted()).toEqual(shown);
  },
);

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
    row('By mail, later', { status: 'scheduled', published_at: later }),
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
  const posts_meta = [{ post_id: 'By mail, later', email_only: 1 }];
  const file = await temporaryFile(JSON.stringify({ db: [{ data: { posts, posts_meta } }] }), 'ghost.json');

  expect(await importInto(app, file)).toEqual({
    Draft: ['draft', 'it was a draft, so it is a draft here'],
    Scheduled: ['scheduled', 'it will be published on 2099-01-02 10:00 UTC'],
    'By mail, later': ['draft', 'it was to be sent by e-mail only, so it is a draft here'],
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
    item('Called as what all objects have', { 'wp:status': 'constructor' }),
    item('For subscribers', {}, meta('_jetpack_newsletter_access', 'paid_subscribers')),
    item('For everybody', {}, meta('_jetpack_newsletter_access', 'everybody')),
    item('Partly', {
      'content:encoded':
        '<!-- wp:premium-content/container --><p>Paid</p><!-- /wp:premium-content/container -->',
    }),
    item('By a block', {
      'content:encoded':
        '<!-- wp:pmpro/membership {"levels":["1"]} --><p>Paid</p><!-- /wp:pmpro/membership -->',
    }),
    item('For patrons', {}, meta('patreon-level', '5')),
    item('For no patrons', {}, meta('patreon-level', '0')),
    item('By a shortcode', { 'content:encoded': 'Free [members_only]Paid[/members_only]' }),
    item('By any plugin', {}, meta('_swpm_protect_post', '2')),
    item('Open to a plugin', {}, meta('_wc_memberships_force_public', 'no')),
    item('A hidden block', {
      'content:encoded':
        '<!-- wp:paragraph {"metadata":{"blockVisibility":false}} --><p>Hidden</p><!-- /wp:paragraph -->',
    }),
    item('Signed in', { 'content:encoded': 'Free [is_logged_in]Paid[/is_logged_in]' }),
    item('Not indexed', {}, meta('_yoast_wpseo_meta-robots-noindex', '1')),
    item('To end', {}, meta('_expiration-date', '4070908800')),
    item('Near, without UTC', {
      'wp:post_date_gmt': '0000-00-00 00:00:00',
      'wp:post_date': '2026-01-30 22:00:00',
    }),
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
    'Called as what all objects have': draft('its status there was constructor'),
    'For subscribers': [
      'draft',
      'it is not for everybody there (_jetpack_newsletter_access), so it is a draft here',
    ],
    'For everybody': ['public', null],
    Partly: [
      'draft',
      'a part of it is not for everybody there (<!-- wp:premium-content/container), so it is a draft here',
    ],
    'By a block': [
      'draft',
      'a part of it is not for everybody there (<!-- wp:pmpro/membership), so it is a draft here',
    ],
    'For patrons': ['draft', 'it is not for everybody there (patreon-level), so it is a draft here'],
    'For no patrons': ['public', null],
    'By a shortcode': [
      'draft',
      'a part of it is not for everybody there ([members_), so it is a draft here; shortcodes stand as text: members_only',
    ],
    'By any plugin': draft('it is not for everybody there (_swpm_protect_post)'),
    'Open to a plugin': ['public', null],
    'A hidden block': draft('a part of it is not for everybody there ("blockVisibility":)'),
    'Signed in': [
      'draft',
      'a part of it is not for everybody there ([is_logged_in), so it is a draft here; shortcodes stand as text: is_logged_in',
    ],
    'Not indexed': ['unlisted', 'search engines were not to list it, so it is in no list here'],
    'To end': ['public', 'it was to end by itself there, and stays here'],
    'Near, without UTC': draft('its date is 2026-01-31 10:00 UTC'),
    Public: ['public', null],
    'Without a moment in UTC': ['public', null],
  });

  const ruled = [item('Ruled', {}), item('A rule', { 'wp:post_type': 'memberpressrule' })];
  const other = await temporaryFile(`<rss><channel>${ruled.join('')}</channel></rss>`, 'ruled.xml');
  expect(await importInto(app, other)).toEqual({
    Ruled: draft('rules of a plugin for members say who may read it, which are not read'),
  });
});

test('of a site of Ghost that is closed, and of posts that its routes may not show, nothing is public', async () => {
  await using app = await startApp();
  let id = 0;
  const post = (title: string, type: string) => ({
    ...{ id: String(++id), title, html: '<p>.</p>', type, status: 'published', visibility: 'public' },
    ...{ created_at: '2024-01-02T10:00:00.000Z', published_at: '2024-01-02T10:00:00.000Z' },
  });
  const exported = (more: object = {}) =>
    JSON.stringify({ db: [{ data: { posts: [post('Post', 'post'), post('Page', 'page')], ...more } }] });
  const closed = exported({ settings: [{ key: 'is_private', value: 'true' }] });
  expect(await importInto(app, await temporaryFile(closed, 'ghost.json'))).toEqual({
    Post: draft('the whole site had a password'),
    Page: draft('the whole site had a password'),
  });
  const routed = async (...filters: string[]) => {
    const each = filters.map(
      (filter, at) => `  /${at}/:\n    permalink: /${at}/{slug}/\n    filter: '${filter}'\n`,
    );
    const routes = `collections:\n${each.join('')}`;
    return importInto(
      app,
      await temporaryFile(zipOf({ 'a.json': exported(), 'routes.yaml': routes }), 'a.zip'),
    );
  };
  expect(await routed('tag:news')).toMatchObject({
    Post: ['draft', expect.stringContaining('routes.yaml shows only some posts')],
    Page: ['public', null],
  });
  expect(await routed('tag:news', 'tag:-news')).toMatchObject({ Post: ['public', null] });
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

test('a text that says the oddest things of itself is no reason not to read the others', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    'a.md': titled('Holds itself', 'robots: &a [*a]'),
    'b.md': titled('No text', 'draft: {toString: 1}'),
    '_posts/2024-01-02-c.md': titled('Named as all objects have it', 'permalink: constructor'),
    'd.md': titled('Plain'),
  });
  expect(await importInto(app, folder)).toEqual({
    a: draft('front matter: has a value that holds itself'),
    'No text': draft('draft is no plain value'),
    'Named as all objects have it': ['public', null],
    Plain: ['public', null],
  });
});

test('what Substack shows only those who pay is no part of a post that others read here', async () => {
  await using app = await startApp();
  const audiences = ['everyone', 'only_free', 'only_paid'];
  const list = audiences.map((audience, at) => `${at}.a${at},true,newsletter,${audience},${audience}\n`);
  const text = '<p>Open</p><div class="paywall-jump"></div><p>Paid</p>';
  const zip = zipOf({
    'posts.csv': `post_id,is_published,type,audience,title\n${list.join('')}`,
    ...Object.fromEntries(audiences.map((_, at) => [`posts/${at}.a${at}.html`, text])),
  });
  const hidden = draft('a part of it is for paying readers only');
  expect(await importInto(app, await temporaryFile(zip, 'substack.zip'))).toEqual({
    everyone: hidden,
    only_free: hidden,
    only_paid: ['public', null],
  });
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
