import { expect, test } from 'vitest';
import { folderArchive } from '../../client/studio/pages/import-export/folder-archive.ts';
import { startApp } from '../support/app.ts';
import { folderOf, temporaryFile } from '../support/archives.ts';
import { draft, importInto, titled, unrun, yaml } from '../support/imported-states.ts';

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
    ['draft: {until: noon}', 'draft', 'draft is not a plain value, so it is a draft here'],
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
    ['build: {render: link}', 'draft', 'build is not a plain value, so it is a draft here'],
    ['build: {Render: never}', 'draft', 'build is not a plain value, so it is a draft here'],
    ['build: {render: always, list: never}', 'unlisted', null],
    ['build: {render: always, list: always}', 'public', null],
    ['build: {render: never}', 'draft', 'build is not a plain value, so it is a draft here'],
    ['expiryDate: 2020-01-01', 'draft', 'expirydate: 2020-01-01, so it is a draft here'],
    ['expiryDate: soon', 'draft', 'expirydate: soon, so it is a draft here'],
    ['date: soon', 'draft', 'date: soon cannot be read, so it is a draft here'],
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
      List: draft('it is the introduction of a list there'),
      broken: ['draft', expect.stringContaining('front matter: ')],
      'In the target': draft('build is not a plain value, as content/drafty/_index.md says'),
      'Outside of the target': ['public', null],
      'Below what can not be read': draft('content/broken/_index.md has front matter that cannot be read'),
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
      Excluded: draft('_config.yml excludes this file from the old site'),
      'Excluded by its name': draft('_config.yml excludes this file from the old site'),
      Shown: ['public', null],
    },
  },
  {
    name: 'defaults of Jekyll that can not be read',
    files: { 'docs/_config.yml': 'defaults: [', 'docs/a.md': titled('Below'), 'b.md': titled('Beside') },
    expected: { Below: draft('docs/_config.yml cannot be read'), Beside: ['public', null] },
  },
  {
    name: 'data of Eleventy',
    files: {
      'posts/posts.json': '{"draft": true}',
      'posts/a.md': titled('Of the folder'),
      'posts/b.md': titled('Of its own', 'draft: false'),
      'notes/notes.11tydata.json': '{"eleventyExcludeFromCollections": true}',
      'notes/deep/a.md': titled('In no list'),
      'notes/hushed.md': titled('Hushed', 'draft: false'),
      'notes/hushed.11tydata.json': '{"permalink": false}',
      'blog/blog.11tydata.js': 'export default { tags: ["posts"] }',
      'blog/a.md': titled('By a program'),
      'work/work.11tydata.cjs': 'module.exports = { eleventyComputed: { permalink: () => false } }',
      'work/a.md': titled('Hidden by a program'),
      '.eleventyignore': '# not these\nsecret/**\nlater.md\n',
      'secret/a.md': titled('Ignored'),
      'later.md': titled('Ignored by name'),
      'notes/notes.yaml': 'draft: true\n',
      'notes/deep/deep.11tydata.yml': 'draft: false\n',
      'notes/b.md': titled('Of a folder in YAML'),
      'lost/_data/draft.json': '{',
      'lost/a.md': titled('Beside data that can not be read'),
      'c.md': titled('Shown'),
    },
    expected: {
      'Of a folder in YAML': draft('draft: true, as notes/notes.yaml says'),
      'Beside data that can not be read': draft('lost/_data/draft.json cannot be read'),
      'Of the folder': draft('draft: true, as posts/posts.json says'),
      'Of its own': ['public', null],
      'In no list': ['unlisted', null],
      Hushed: draft('permalink: false, as notes/hushed.11tydata.json says'),
      'By a program': unrun('blog/blog.11tydata.js'),
      'Hidden by a program': unrun('work/work.11tydata.cjs'),
      Ignored: draft('.eleventyignore excludes this file from the old site'),
      'Ignored by name': draft('.eleventyignore excludes this file from the old site'),
      Shown: ['public', null],
    },
  },
  {
    name: 'Eleventy with settings that are a program',
    files: {
      'eleventy.config.js': 'export default (config) => ({ dir: { input: "src" } });',
      '.gitignore': 'private/\n/src/here.md\n',
      '.eleventyignore': 'src/later.md\n',
      'src/a.md': titled('Says nothing', 'date: 2024-01-02\npermalink: /a/'),
      'src/b.md': titled('No draft', 'draft: false'),
      'src/c.md': titled('Published', 'published: true'),
      'src/d.md': titled('By its status', 'status: published'),
      'src/e.md': titled('By a date', 'published: 2024-01-02'),
      'src/shown/shown.json': '{"draft": false}',
      'src/shown/a.md': titled('By data'),
      'src/shown/b.md': titled('Hidden by itself', 'draft: true'),
      'src/private/b.md': titled('Ignored at any depth', 'draft: false'),
      'src/here.md': titled('Ignored at its place', 'draft: false'),
      'src/deep/here.md': titled('Elsewhere by that name', 'draft: false'),
      'src/later.md': titled('Ignored by Eleventy', 'draft: false'),
    },
    expected: {
      'Says nothing': unrun('eleventy.config.js'),
      'No draft': ['public', null],
      Published: ['public', null],
      'By its status': ['public', null],
      'By a date': unrun('eleventy.config.js'),
      'By data': ['public', null],
      'Hidden by itself': draft('draft: true'),
      'Ignored at any depth': draft('.gitignore excludes this file from the old site'),
      'Ignored at its place': draft('.gitignore excludes this file from the old site'),
      'Elsewhere by that name': ['public', null],
      'Ignored by Eleventy': draft('.eleventyignore excludes this file from the old site'),
    },
  },
  {
    name: 'settings of Hugo in a folder of their own that can not be read',
    files: { 'config/_default/hugo.toml': 'baseURL = "', 'content/a.md': titled('Below') },
    expected: { Below: draft('config/_default/hugo.toml cannot be read') },
  },
  {
    name: 'settings whose content was left behind',
    files: { '_config.yml': '', 'a.md': titled('Below') },
    expected: { Below: draft('_config.yml cannot be read') },
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
      Below: unrun('src/_data/eleventyComputed.js'),
      Outside: ['public', null],
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
      'Says nothing': unrun('src/content.config.ts'),
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
    'Left out by Jekyll': draft('jekyll/_config.yml excludes this file from the old site'),
    'A draft of Hugo': draft('draft: true, as hugo/hugo.toml says'),
    'Left out by Eleventy': draft('eleventy/.eleventyignore excludes this file from the old site'),
    'Left out by git': draft('eleventy/.gitignore excludes this file from the old site'),
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
    'remark.md': `${yaml('title: Remark\npublish: true')}\n\n%% nobody's %%\n`,
    'open.md': `${yaml('title: Open\npublish: true\ndate: 2024-01-01')}\n\n%% has no end\n`,
  });
  expect(await importInto(app, folder)).toEqual({
    Diary: ['draft', 'it is a note that does not say that it is public, so it is a draft here'],
    Shown: ['public', null],
    Kept: ['draft', 'publish: false, so it is a draft here'],
    Later: ['draft', 'its date is 2099-01-01 12:00 UTC, so it is a draft here'],
    Remark: ['public', null],
    Open: ['draft', 'a hidden comment has no end or no beginning, or may be code, so it is a draft here'],
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
