import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { folderOf, rowsOf } from '../support/archives.ts';
import { draft, importInto, titled, unrun } from '../support/imported-states.ts';

const scheduled = (timestamp: string) => ['scheduled', `Scheduled: it will be published on ${timestamp} UTC`];

const shown = ['public', null];

const unread = (name: string) =>
  draft(
    `Astro publishes only files in ${name.replace('astro.config.mjs', '')}src/pages/ and ${name.replace('astro.config.mjs', '')}src/content/`,
  );

const astroConfig = { 'astro.config.mjs': 'export default {};' };

/** Generator settings that hide content. The import runs at 2026-01-31 09:05 UTC. */
test.for([
  {
    name: 'the time zone of Jekyll',
    files: {
      '_config.yml': 'timezone: America/Los_Angeles\n',
      '_posts/2026-01-31-a.md': titled('Of that day'),
      '_posts/2020-01-31-b.md': titled('Later', 'date: 2026-01-31 01:30:00'),
      '_posts/2020-01-31-c.md': titled('Before', 'date: 2026-01-31 01:00:00'),
      '_posts/2020-01-31-d.md': titled('With a zone', 'date: 2026-01-31 01:30:00 +0000'),
    },
    expected: {
      'Of that day': shown,
      Later: scheduled('2026-01-31 09:30'),
      Before: shown,
      'With a zone': shown,
    },
  },
  {
    name: 'the time zone of Jekyll, where what reads its YAML takes UTC',
    files: {
      '_config.yml': 'timezone: Asia/Tokyo\n',
      'a.md': titled('Later', 'date: 2026-01-31 10:00:00'),
      'b.md': titled('Before', 'date: 2026-01-31 09:00:00'),
    },
    expected: { Later: scheduled('2026-01-31 10:00'), Before: shown },
  },
  {
    name: 'the time zone of Hugo',
    files: {
      'hugo.toml': 'timeZone = "Asia/Tokyo"\n',
      'content/a.md': titled('Passed there', 'date: 2026-01-31T18:00:00'),
      'content/b.md': titled('To come there', 'date: 2026-01-31T18:30:00'),
      'content/c.md': '+++\ntitle = "In TOML"\ndate = 2026-01-31T18:30:00\n+++\n',
      'content/e.md': titled('Tomorrow there', 'date: 2026-02-01'),
      'content/d.md': titled('Ended there', 'expiryDate: 2026-01-31T18:00:00'),
    },
    expected: {
      'Passed there': shown,
      'To come there': scheduled('2026-01-31 09:30'),
      'In TOML': scheduled('2026-01-31 09:30'),
      'Tomorrow there': scheduled('2026-01-31 15:00'),
      'Ended there': draft('its front matter sets expirydate: 2026-01-31T18:00:00'),
    },
  },
  {
    name: 'time zones of Hugo by language, and one that is not known',
    files: {
      'a/hugo.yaml':
        'baseURL: /\nlanguages:\n  en: {timeZone: Europe/London}\n  us: {timeZone: America/New_York}\n',
      'a/content/a.md': titled('Later in one', 'date: 2026-01-31 04:10:00'),
      'b/hugo.yaml': 'baseURL: /\ntimeZone: Local\n',
      'b/content/a.md': titled('Anywhere', 'date: 2026-01-30 21:10:00'),
    },
    expected: { 'Later in one': scheduled('2026-01-31 09:10'), Anywhere: scheduled('2026-01-31 09:10') },
  },
  {
    name: 'mounts of Hugo',
    files: {
      'hugo.yaml':
        'baseURL: /\nmodule:\n  mounts:\n    - {source: content, target: content, excludeFiles: [private/*, "**/secret.md"]}\n    - {source: docs, target: content/docs, includeFiles: ["/guides/**.md"]}\n    - {source: more, target: content, files: ["! hidden/**", "**"]}\n    - {source: notes, target: assets}\n',
      'content/a.md': titled('Shown'),
      'content/private/a.md': titled('Excluded'),
      'content/deep/secret.md': titled('Excluded by its name'),
      'docs/guides/deep/a.md': titled('Included'),
      'docs/b.md': titled('Not included'),
      'more/a.md': titled('One more'),
      'more/hidden/a.md': titled('Negated'),
      'notes/a.md': titled('No content'),
    },
    expected: {
      Shown: shown,
      Excluded: draft('hugo.yaml excludes this file from the old site'),
      'Excluded by its name': draft('hugo.yaml excludes this file from the old site'),
      Included: shown,
      'Not included': draft('hugo.yaml excludes this file from the old site'),
      'One more': shown,
      Negated: draft('hugo.yaml excludes this file from the old site'),
      'No content': draft('hugo.yaml publishes only files in content/, docs/, more/'),
    },
  },
  {
    name: 'mounts of Hugo in a file of their own',
    files: {
      'config/_default/hugo.toml': 'baseURL = "/"\n',
      'config/_default/module.toml':
        '[[mounts]]\nsource = "content"\ntarget = "content"\nexcludeFiles = "inner/**"\n',
      'content/a.md': titled('Shown'),
      'content/inner/a.md': titled('Excluded'),
    },
    expected: {
      Shown: shown,
      Excluded: draft('config/_default/module.toml excludes this file from the old site'),
    },
  },
  {
    name: 'names of moments, languages and kinds of pages in Hugo’s settings',
    files: {
      'a/hugo.toml':
        'disableLanguages = ["fr"]\n[frontmatter]\npublishDate = ["opens", ":default"]\nexpiryDate = ["closes"]\n[languages.de]\ndisabled = true\ncontentDir = "inhalt"\n[languages.en]\ncontentDir = "content"\n',
      'a/content/a.md': titled('Opens', 'date: 2020-01-01\nopens: 2099-01-01'),
      'a/content/b.md': titled('Closed', 'closes: 2020-01-01'),
      'a/content/c.fr.md': titled('French'),
      'a/content/c.en.md': titled('English'),
      'a/inhalt/d.md': titled('German'),
      'a/content/e/index.en.md': titled('A page'),
      'a/content/e/f.md': titled('Beside a page'),
      'b/hugo.toml': 'disableKinds = ["page"]\n',
      'b/content/a.md': titled('No page'),
    },
    expected: {
      Opens: [
        'scheduled',
        expect.stringContaining('Scheduled: it will be published on 2099-01-01 12:00 UTC'),
      ],
      Closed: ['draft', expect.stringContaining('expirydate: 2020-01-01')],
      French: draft('a/hugo.toml disables its language'),
      English: shown,
      German: draft('a/hugo.toml disables its language'),
      'A page': shown,
      'Beside a page': draft('it is a part of the page whose index file is in its folder'),
      'No page': draft('b/hugo.toml disables all pages (disableKinds)'),
    },
  },
  {
    name: 'what Jekyll makes no page of',
    files: {
      'a/_config.yml': 'source: src\n',
      'a/src/a.md': titled('Inside'),
      'a/notes.md': titled('Outside'),
      'a/src/_posts/thought.md': titled('Without a day'),
      'b/_config.yml': 'limit_posts: 1\n',
      'b/_posts/2020-01-01-a.md': titled('One of some'),
    },
    expected: {
      Inside: shown,
      Outside: draft('a/_config.yml publishes only files in a/src/'),
      'Without a day': [
        'draft',
        expect.stringContaining('Jekyll publishes only posts whose file name begins with a date'),
      ],
      'One of some': draft('b/_config.yml limits the number of posts (limit_posts)'),
    },
  },
  {
    name: 'collections of Astro, which a program defines',
    files: {
      ...astroConfig,
      'src/content.config.ts':
        "const blog = defineCollection({ loader: glob({ base: './texts', pattern: ['**/*.md', '!kept.md'] }) });",
      'texts/a.md': titled('In a collection'),
      'texts/kept.md': titled('Kept'),
      'texts/b.md': titled('Says that it is no draft', 'draft: false'),
      'texts/_c.md': titled('Left out by its name', 'draft: false'),
      'src/pages/about.md': titled('A page'),
      'src/content/docs/a.md': titled('A document', 'visibility: public'),
      'old/src/content/config.ts': 'export const collections = {};',
      'old/src/content/blog/a.md': titled('In an older version'),
    },
    expected: {
      'In a collection': unrun('src/content.config.ts'),
      Kept: unrun('src/content.config.ts'),
      'Says that it is no draft': shown,
      'Left out by its name': draft('its path contains _c.md, a name for unpublished files'),
      'A page': unrun('src/content.config.ts'),
      'A document': shown,
      'In an older version': unrun('old/src/content/config.ts'),
    },
  },
  {
    name: 'the folders of Astro itself',
    files: {
      'a/astro.config.mjs': 'export default {};',
      'a/src/content/blog/a.md': titled('In a folder of its own'),
      'a/src/pages/a.md': titled('A page'),
      'a/src/notes/a.md': titled('Elsewhere in its sources'),
      'a/docs/a.md': titled('Outside'),
      'b/astro.config.ts': "export default defineConfig({ srcDir: './source' });",
      'b/source/pages/a.md': titled('In its own sources'),
      'b/source/pages/b.md': titled('In its own sources, no draft', 'draft: no'),
      'c/astro.config.mjs': '',
      'c/src/pages/a.md': titled('Beside settings that were left behind'),
    },
    expected: {
      'In a folder of its own': shown,
      'A page': shown,
      'Elsewhere in its sources': unread('a/astro.config.mjs'),
      Outside: unread('a/astro.config.mjs'),
      'In its own sources': unrun('b/astro.config.ts'),
      'In its own sources, no draft': shown,
      'Beside settings that were left behind': unrun('c/astro.config.mjs'),
    },
  },
  {
    name: 'programs of Eleventy',
    files: {
      'a/.eleventy.js': '',
      'a/a.md': titled('Below settings', 'date: 2024-01-02'),
      'g/package.json': '{"scripts": {"build": "eleventy --input=pages --quiet"}}',
      'g/a.md': titled('Below a script'),
      'g/b.md': titled('Below a script, no draft', 'draft: false'),
      'h/package.json': '{"scripts": {"build": "eleventy"}, "dependencies": {"@11ty/eleventy": "3"}}',
      'h/_data/permalink.json': 'false',
      'h/a.md': titled('Hidden by a file of data'),
      'i/texts/texts.json': '{"eleventyComputed": {"permalink": "{% if draft %}false{% endif %}"}}',
      'i/texts/a.md': titled('Computed'),
      'i/package.json': '{"scripts": {"build": "eleventy --quiet"}}',
      'i/b.md': titled('Shown'),
      'i/pelican.md': 'Title: Idea\nDate: 2024-01-02\nStatus: draft\n\n# Headed by names\n',
      'i/note.md': 'Note: all the same\n\n# Headed by words\n',
      'j/_data/site/texts.cjs': 'module.exports = {};',
      'j/a.md': titled('Below data by a program'),
      'k/a.md': titled('Beside data by a program'),
      'k/a.11tydata.ts': 'export default {};',
      'k/b.md': titled('Beside another text'),
    },
    expected: {
      'Below settings': unrun('a/.eleventy.js'),
      'Below a script': unrun('g/package.json'),
      'Below a script, no draft': shown,
      'Headed by names': draft('its first lines look like settings without the lines --- around them'),
      'Headed by words': shown,
      'Hidden by a file of data': draft('h/_data/permalink.json sets permalink: false'),
      Computed: ['draft', expect.stringContaining('permalink: {% if draft %}false{% endif %}')],
      Shown: shown,
      'Below data by a program': unrun('j/_data/site/texts.cjs'),
      'Beside data by a program': unrun('k/a.11tydata.ts'),
      'Beside another text': shown,
    },
  },
])('content that $name hides is hidden, and the rest is public', async ({ files, expected }) => {
  await using app = await startApp();
  expect(await importInto(app, await folderOf({ ...files }))).toEqual(expected);
});

test('an imported text that an Eleventy config may exclude becomes a draft and keeps a past date, but not a future one', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    'eleventy.config.js': 'export default () => {};',
    'a.md': titled('Dated', 'date: 2024-01-02T10:00:00Z'),
    'b.md': titled('To come', 'date: 2099-01-02'),
  });
  expect(await importInto(app, folder)).toMatchObject({
    'To come': [
      'draft',
      expect.stringMatching(/. Date not imported: it is in the future \(2099-01-02 12:00 UTC\)$/),
    ],
  });
  expect(
    await rowsOf(app, 'select title, is_draft, publish_at, published_at from posts order by title'),
  ).toEqual([
    { title: 'Dated', is_draft: true, publish_at: null, published_at: new Date('2024-01-02T10:00:00Z') },
    { title: 'To come', is_draft: true, publish_at: null, published_at: null },
  ]);
});

test('template tags stay in the text and are reported', async () => {
  await using app = await startApp();
  const folder = await folderOf({
    'hugo.toml': 'baseURL = "/"\n',
    'content/a.md': `${titled('Hugo').trim()}\n{{< figure src="a.jpg" >}} [b]({{< ref "b.md" >}})\n`,
    'content/b.mdx': `${titled('MDX').trim()}\n<Chart />\n`,
    'content/c.md': `${titled('Liquid').trim()}\n{% youtube a %} [d]({% post_url d %})\n`,
  });
  expect(await importInto(app, folder)).toEqual({
    Hugo: [
      'public',
      expect.stringMatching(/^Shortcodes and template tags shown as plain text: figure, ref\. /),
    ],
    MDX: ['public', 'MDX components shown as plain text: Chart'],
    Liquid: ['public', 'Shortcodes and template tags shown as plain text: youtube, post_url'],
  });
  const [stored] = await rowsOf(app, "select content from posts where title = 'Hugo'");
  expect(stored).toEqual({ content: 'Text\n{{< figure src="a.jpg" >}} [b]({{< ref "b.md" >}})' });
});
