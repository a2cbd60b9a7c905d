import { expect, test } from 'vitest';
import { folderArchive } from '../../client/studio/screens/import-export/folder-archive.ts';
import { startApp } from '../support/app.ts';
import { folderOf, temporaryFile } from '../support/archives.ts';
import { draft, importInto, titled, unrun, yaml } from '../support/imported-states.ts';

test('files of an imported folder that are marked as hidden become drafts with a note, and files marked as public become public', async () => {
  await using app = await startApp();
  const files: [matter: string, state: string, reason: string | null][] = [
    ['draft: true', 'draft', 'Imported as a draft: its front matter sets draft: true'],
    ['Draft: True', 'draft', 'Imported as a draft: its front matter sets draft: true'],
    ['DRAFT: yes', 'draft', 'Imported as a draft: its front matter sets draft: yes'],
    ['draft: "true"', 'draft', 'Imported as a draft: its front matter sets draft: true'],
    ['draft: 1', 'draft', 'Imported as a draft: its front matter sets draft: 1'],
    ['draft:', 'draft', 'Imported as a draft: its front matter sets draft without a value'],
    ['draft: maybe', 'draft', 'Imported as a draft: its front matter sets draft: maybe'],
    ['draft: {until: noon}', 'draft', 'Imported as a draft: its front matter sets draft to a list or object'],
    ['published: false', 'draft', 'Imported as a draft: its front matter sets published: false'],
    ['Published: no', 'draft', 'Imported as a draft: its front matter sets published: no'],
    ['publish: false', 'draft', 'Imported as a draft: its front matter sets publish: false'],
    ['public: "false"', 'draft', 'Imported as a draft: its front matter sets public: false'],
    ['status: draft', 'draft', 'Imported as a draft: its front matter sets status: draft'],
    ['status: in review', 'draft', 'Imported as a draft: its front matter sets status: in review'],
    ['visibility: members', 'draft', 'Imported as a draft: its front matter sets visibility: members'],
    ['private: true', 'draft', 'Imported as a draft: its front matter sets private: true'],
    ['password: hush', 'draft', 'Imported as a draft: its front matter sets a password'],
    ['permalink: false', 'draft', 'Imported as a draft: its front matter sets permalink: false'],
    [
      'base: &d {draft: true}\n<<: *d',
      'draft',
      'Front matter fields not imported: base. Imported as a draft: its front matter sets draft: true',
    ],
    [
      'build: {render: link}',
      'draft',
      'Imported as a draft: its front matter sets build to a list or object',
    ],
    [
      'build: {Render: never}',
      'draft',
      'Imported as a draft: its front matter sets build to a list or object',
    ],
    ['build: {render: always, list: never}', 'unlisted', null],
    ['build: {render: always, list: always}', 'public', null],
    [
      'build: {render: never}',
      'draft',
      'Imported as a draft: its front matter sets build to a list or object',
    ],
    ['expiryDate: 2020-01-01', 'draft', 'Imported as a draft: its front matter sets expirydate: 2020-01-01'],
    ['expiryDate: soon', 'draft', 'Imported as a draft: its front matter sets expirydate: soon'],
    ['date: soon', 'draft', 'Imported as a draft: its date cannot be read (date: soon)'],
    ['date: 2099-01-02', 'scheduled', 'Scheduled: it will be published on 2099-01-02 12:00 UTC'],
    [
      'date: 2020-01-01\npublishDate: 2099-01-02 10:00 +01:00',
      'scheduled',
      'Scheduled: it will be published on 2099-01-02 09:00 UTC',
    ],
    ['pubDate: Jul 08 2099', 'scheduled', 'Scheduled: it will be published on 2099-07-08 12:00 UTC'],
    ['date: 2099-01-02\ndraft: true', 'draft', 'Imported as a draft: its front matter sets draft: true'],
    ['visibility: unlisted', 'unlisted', null],
    ['isDraft: true', 'draft', 'Imported as a draft: its front matter sets isdraft: true'],
    ['is_published: false', 'draft', 'Imported as a draft: its front matter sets is_published: false'],
    ['archived: true', 'draft', 'Imported as a draft: its front matter sets archived: true'],
    ['membersOnly: true', 'draft', 'Imported as a draft: its front matter sets membersonly: true'],
    ['access: members', 'draft', 'Imported as a draft: its front matter sets access: members'],
    ['access: everyone', 'public', null],
    [
      'embargo: 2099-01-02\ndate: 2020-01-01',
      'scheduled',
      'Scheduled: it will be published on 2099-01-02 12:00 UTC',
    ],
    ['robots: noindex', 'unlisted', 'Imported as unlisted: the original was hidden from search engines'],
    [
      'sitemap: {disable: true}',
      'unlisted',
      'Imported as unlisted: the original was hidden from search engines',
    ],
    // The import runs at 2026-01-31 09:05 UTC. In some time zones it is still the 30th, and in others the
    // 31st is almost over.
    ['date: 2026-01-31', 'scheduled', 'Scheduled: it will be published on 2026-01-31 12:00 UTC'],
    ['date: 2026-01-30 22:00', 'scheduled', 'Scheduled: it will be published on 2026-01-31 10:00 UTC'],
    ['date: 2026-01-30 21:00', 'public', null],
    ['date: 2026-01-31 09:00 +00:00', 'public', null],
    [
      'expiryDate: 2026-01-31 23:00',
      'draft',
      'Imported as a draft: its front matter sets expirydate: 2026-01-31 23:00',
    ],
    [
      'expiryDate: 2026-01-31 23:06',
      'public',
      'Expiry date not imported (2026-01-31 09:06 UTC): it stays public until you unpublish it',
    ],
    ['eleventyExcludeFromCollections: true', 'unlisted', null],
    ['draft: false', 'public', null],
    ['draft: No', 'public', null],
    ['published: true', 'public', null],
    ['published: 2020-01-02', 'public', null],
    ['status: Published', 'public', null],
    [
      'expiryDate: 2099-01-01',
      'public',
      'Expiry date not imported (2098-12-31 10:00 UTC): it stays public until you unpublish it',
    ],
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
    'In drafts': ['draft', 'Imported as a draft: its path contains _drafts, a name for unpublished files'],
    'In drafts, too': [
      'draft',
      'Imported as a draft: its path contains drafts, a name for unpublished files',
    ],
    'With a line below': [
      'draft',
      'Imported as a draft: its path contains _hidden.md, a name for unpublished files',
    ],
    'In posts': ['public', null],
    'After a blank line': ['draft', 'Imported as a draft: its front matter sets draft: true'],
    'Closed by dots': ['draft', 'Imported as a draft: its front matter sets draft: true'],
    'In TOML': ['draft', 'Imported as a draft: its front matter sets draft: true'],
    'In TOML, later': ['scheduled', 'Scheduled: it will be published on 2099-01-01 12:00 UTC'],
    'In JSON': ['draft', 'Imported as a draft: its front matter sets draft: true'],
    Broken: ['draft', expect.stringMatching(/^Imported as a draft: its front matter cannot be read: /)],
    'In UTF-16': ['draft', 'Imported as a draft: its front matter sets draft: true'],
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
      Posts: draft('content/posts/_index.md sets draft: true'),
      Below: draft('content/posts/_index.md sets draft: true'),
      Deeper: draft('content/posts/_index.md sets draft: true'),
      'Says otherwise': ['public', null],
      Elsewhere: ['public', null],
      List: draft('the original introduces a list of posts'),
      broken: ['draft', expect.stringContaining('its front matter cannot be read: ')],
      'In the target': draft('content/drafty/_index.md sets build to a list or object'),
      'Outside of the target': ['public', null],
      'Below what can not be read': draft(
        'content/broken/_index.md may hide it and has front matter that cannot be read',
      ),
    },
  },
  {
    name: 'settings of Hugo',
    files: {
      'hugo.toml':
        'baseURL = "https://example.org"\nignoreFiles = ["\\\\.secret\\\\.md$", "never|\\\\d{4}.memo"]\n[[cascade]]\ndraft = true\n[cascade.target]\npath = "{/hidden,/hidden/**}"\n',
      'archetypes/default.md': titled('Model'),
      'content/hidden/a.md': titled('Hidden'),
      'content/a.secret.md': titled('Ignored'),
      'content/2024-memo.md': titled('Ignored by the second alternative'),
      'content/a/index.md': titled('Page'),
      'content/a/notes.md': titled('Beside a page'),
      'content/b.md': titled('Shown'),
    },
    expected: {
      Model: draft('hugo.toml publishes only files in content/'),
      Hidden: draft('hugo.toml sets draft: true'),
      Ignored: draft('hugo.toml excludes this file from the old site'),
      'Ignored by the second alternative': draft('hugo.toml excludes this file from the old site'),
      Page: ['public', null],
      'Beside a page': draft('it is a part of the page whose index file is in its folder'),
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
      'In the scope': draft('_config.yml sets published: false'),
      'Of another kind': ['public', null],
      'In a pattern': draft('_config.yml sets published: false'),
      Excluded: draft('_config.yml excludes this file from the old site'),
      'Excluded by its name': draft('_config.yml excludes this file from the old site'),
      Shown: ['public', null],
    },
  },
  {
    name: 'defaults of Jekyll that can not be read',
    files: { 'docs/_config.yml': 'defaults: [', 'docs/a.md': titled('Below'), 'b.md': titled('Beside') },
    expected: { Below: draft('docs/_config.yml may hide it and cannot be read'), Beside: ['public', null] },
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
      'Of a folder in YAML': draft('notes/notes.yaml sets draft: true'),
      'Beside data that can not be read': draft('lost/_data/draft.json may hide it and cannot be read'),
      'Of the folder': draft('posts/posts.json sets draft: true'),
      'Of its own': ['public', null],
      'In no list': ['unlisted', null],
      Hushed: draft('notes/hushed.11tydata.json sets permalink: false'),
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
      'Hidden by itself': draft('its front matter sets draft: true'),
      'Ignored at any depth': draft('.gitignore excludes this file from the old site'),
      'Ignored at its place': draft('.gitignore excludes this file from the old site'),
      'Elsewhere by that name': ['public', null],
      'Ignored by Eleventy': draft('.eleventyignore excludes this file from the old site'),
    },
  },
  {
    name: 'settings of Hugo in a folder of their own that can not be read',
    files: { 'config/_default/hugo.toml': 'baseURL = "', 'content/a.md': titled('Below') },
    expected: { Below: draft('config/_default/hugo.toml may hide it and cannot be read') },
  },
  {
    name: 'settings whose content was left behind',
    files: { '_config.yml': '', 'a.md': titled('Below') },
    expected: { Below: draft('_config.yml may hide it and cannot be read') },
  },
  {
    name: 'settings of Hugo that name no address',
    files: {
      'hugo.toml': 'title = "A site"\n',
      'docs/internal.md': titled('Outside'),
      'content/a.md': titled('Shown'),
    },
    expected: { Outside: draft('hugo.toml publishes only files in content/'), Shown: ['public', null] },
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
      'Left out': draft('its path contains _c.md, a name for unpublished files'),
    },
  },
])('content that $name hides is hidden, and all other content is public', async ({ files, expected }) => {
  await using app = await startApp();
  expect(await importInto(app, await folderOf({ ...files }))).toEqual(expected);
});

test('a folder that is chosen in the studio includes the files that hide content', async () => {
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
    'A draft of Hugo': draft('hugo/hugo.toml sets draft: true'),
    'Left out by Eleventy': draft('eleventy/.eleventyignore excludes this file from the old site'),
    'Left out by git': draft('eleventy/.gitignore excludes this file from the old site'),
    Shown: ['public', null],
  });
});

test('only notes of an Obsidian vault with publish: true are public', async () => {
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
    Diary: [
      'draft',
      'Imported as a draft: its front matter has no publish: true, which Obsidian notes need to be public',
    ],
    Shown: ['public', null],
    Kept: ['draft', 'Imported as a draft: its front matter sets publish: false'],
    Later: ['draft', 'Imported as a draft: its date is in the future (2099-01-01 12:00 UTC)'],
    Remark: ['public', null],
    Open: ['draft', 'Imported as a draft: a hidden comment in it has no clear beginning or end'],
  });
});

test.for([
  [{ excluded: ['Private/', 'plan.md'] }, ['Elsewhere', 'Kept', 'Shown']],
  [{ included: ['Garden'], excluded: ['garden/private'] }, ['Elsewhere', 'Plan', 'Private', 'Shown']],
  ['{"excluded": [', []],
] as const)(
  'notes in folders that an Obsidian vault excludes, %j, are not public',
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
