import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { folderOf } from '../support/archives.ts';
import { draft, importInto, titled } from '../support/imported-states.ts';

const scheduled = (moment: string) => ['scheduled', `it will be published on ${moment} UTC`];

const shown = ['public', null];

const unread = (name: string) => draft(`${name} names no collection that it is in`);

const astroConfig = { 'astro.config.mjs': 'export default {};' };

/** Read at 2026-01-31 09:05 UTC. */
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
      'Ended there': draft('expirydate: 2026-01-31T18:00:00'),
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
      Excluded: draft('hugo.yaml says that it is left out'),
      'Excluded by its name': draft('hugo.yaml says that it is left out'),
      Included: shown,
      'Not included': draft('hugo.yaml says that it is left out'),
      'One more': shown,
      Negated: draft('hugo.yaml says that it is left out'),
      'No content': draft('it is outside of content/, docs/, more/'),
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
    expected: { Shown: shown, Excluded: draft('config/_default/module.toml says that it is left out') },
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
      Opens: ['scheduled', expect.stringContaining('it will be published on 2099-01-01 12:00 UTC')],
      Closed: ['draft', expect.stringContaining('expirydate: 2020-01-01')],
      French: draft('a/hugo.toml switches its language off'),
      English: shown,
      German: draft('a/hugo.toml switches its language off'),
      'A page': shown,
      'Beside a page': draft('it belongs to the page beside it'),
      'No page': draft('b/hugo.toml says that there are no pages'),
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
      Outside: draft('it is outside of a/src/'),
      'Without a day': [
        'draft',
        expect.stringContaining('it is among posts, and its name does not begin with a day'),
      ],
      'One of some': draft('b/_config.yml says that only some posts are shown'),
    },
  },
  {
    name: 'folders that Astro’s collections name',
    files: {
      ...astroConfig,
      'src/content.config.ts': `
        // loader: glob({ base: './diary', pattern: '**/*.md' })
        const blog = defineCollection({ loader: glob({ base: './texts/blog', pattern: '**/[^_]*.{md,mdx}' }) });
        const notes = defineCollection({ loader: glob({ pattern: ['notes/*.md', '!notes/kept.md'] }) });
        const odd = defineCollection({ loader: glob({ base: './odd', pattern: ['**/*.md', ...ignored] }) });`,
      'texts/blog/deep/a.md': titled('In a collection'),
      'texts/blog/_b.md': titled('Left out by its pattern'),
      'notes/a.md': titled('Below the top'),
      'notes/deep/a.md': titled('Deeper than its pattern'),
      'notes/kept.md': titled('Kept'),
      'odd/a.md': titled('By a program'),
      'diary/a.md': titled('In a remark'),
      'docs/internal.md': titled('Outside'),
      'src/content/blog/a.md': titled('In no collection'),
      'src/pages/about.md': titled('A page'),
    },
    expected: {
      'In a collection': shown,
      'Left out by its pattern': ['draft', expect.anything()],
      'Below the top': shown,
      'Deeper than its pattern': unread('src/content.config.ts'),
      Kept: draft('src/content.config.ts says that it is left out'),
      'By a program': unread('src/content.config.ts'),
      'In a remark': unread('src/content.config.ts'),
      Outside: unread('src/content.config.ts'),
      'In no collection': unread('src/content.config.ts'),
      'A page': shown,
    },
  },
  {
    name: 'the folders of Astro itself',
    files: {
      ...astroConfig,
      'src/content/blog/a.md': titled('In a folder of its own'),
      'src/pages/a.md': titled('A page'),
      'src/notes/a.md': titled('Elsewhere in its sources'),
      'docs/a.md': titled('Outside'),
      'other/astro.config.ts': "export default defineConfig({ srcDir: './source' });",
      'other/source/pages/a.md': titled('In its own sources'),
      'other/src/pages/a.md': titled('In the usual ones'),
    },
    expected: {
      'In a folder of its own': shown,
      'A page': shown,
      'Elsewhere in its sources': unread('astro.config.mjs'),
      Outside: unread('astro.config.mjs'),
      'In its own sources': ['draft', expect.anything()],
      'In the usual ones': ['draft', expect.anything()],
    },
  },
  {
    name: 'documents of Astro by a loader that is known',
    files: {
      ...astroConfig,
      'src/content.config.ts':
        'const docs = defineCollection({ loader: docsLoader(), schema: docsSchema() });',
      'src/content/docs/a.md': titled('A document'),
      'src/content/inner/a.md': titled('In no collection'),
    },
    expected: { 'A document': shown, 'In no collection': unread('src/content.config.ts') },
  },
  {
    name: 'programs of Eleventy',
    files: {
      'a/eleventy.config.js':
        'export default (config) => { config.addPlugin(images, { input: source }); config.setInputDirectory("src"); config.setIncludesDirectory("parts"); };',
      'a/src/a.md': titled('Inside'),
      'a/src/parts/a.md': titled('A part'),
      'a/notes.md': titled('Outside'),
      'b/eleventy.config.js':
        'export default (config) => { for (const each of hidden) config.ignores.add(each); };',
      'b/a.md': titled('Maybe ignored'),
      'c/eleventy.config.js': 'export default (config) => setup(config);',
      'c/setup.js': 'export const setup = (config) => config.ignores.add(`$\u007broot}/inner/**`);',
      'c/a.md': titled('Not ignored'),
      'c/x/inner/a.md': titled('Ignored by another file'),
      'd/eleventy.config.js': 'export default () => ({ dir: { input: where } });',
      'd/a.md': titled('Maybe outside'),
      'e/eleventy.config.js': 'export default () => ({ templateFormats: ["njk", "html"] });',
      'e/a.md': titled('Of a form that is not read'),
      'f/eleventy.config.js': 'export default (config) => { config.addGlobalData("draft", true); };',
      'f/a.md': titled('Hidden by data'),
      'g/eleventy.config.js': 'export default (config) => { config.addGlobalData("site", {}); };',
      'g/assets/form.js': 'const options = { dir: direction, input: field };',
      'g/package.json': '{"scripts": {"build": "eleventy --input=pages --quiet"}}',
      'g/pages/a.md': titled('Of a script'),
      'g/a.md': titled('Outside of a script'),
      'h/eleventy.config.js': 'export default () => {};',
      'h/_data/permalink.json': 'false',
      'h/a.md': titled('Hidden by a file of data'),
      'i/eleventy.config.js': 'export default () => {};',
      'i/texts/texts.json': '{"eleventyComputed": {"permalink": "{% if draft %}false{% endif %}"}}',
      'i/texts/a.md': titled('Computed'),
      'i/b.md': titled('Shown'),
      'i/pelican.md': 'Title: Idea\nDate: 2024-01-02\nStatus: draft\n\n# Headed by names\n',
      'i/note.md': 'Note: all the same\n\n# Headed by words\n',
      'j/eleventy.config.js':
        'export default (config) => config.addPreprocessor("x", "*", ({ stage }) => stage === "ready");',
      'j/a.md': titled('Preprocessed'),
      'k/eleventy.config.js': 'export default (config) => config.addDataExtension("yaml", load);',
      'k/a.md': titled('Beside other data'),
    },
    expected: {
      Inside: shown,
      'Headed by names': draft('its first lines may say who reads it'),
      'Headed by words': shown,
      Preprocessed: draft('j/eleventy.config.js is a program that may hide it, and was not run'),
      'Beside other data': draft('k/eleventy.config.js is a program that may hide it, and was not run'),
      'A part': draft('a/eleventy.config.js says that it is left out'),
      Outside: draft('it is outside of a/src/'),
      'Maybe ignored': draft('b/eleventy.config.js leaves out what is not known'),
      'Not ignored': shown,
      'Ignored by another file': draft('c/setup.js says that it is left out'),
      'Maybe outside': draft('d/eleventy.config.js names a folder that is not known'),
      'Of a form that is not read': draft('e/eleventy.config.js does not name Markdown among what is read'),
      'Hidden by data': draft('f/eleventy.config.js is a program that may hide it, and was not run'),
      'Of a script': shown,
      'Outside of a script': draft('it is outside of g/pages/'),
      'Hidden by a file of data': draft('permalink: false, as h/_data/permalink.json says'),
      Computed: ['draft', expect.stringContaining('permalink: {% if draft %}false{% endif %}')],
      Shown: shown,
    },
  },
])('what isn’t public by $name isn’t here, and the rest is', async ({ files, expected }) => {
  await using app = await startApp();
  expect(await importInto(app, await folderOf({ ...files }))).toEqual(expected);
});
