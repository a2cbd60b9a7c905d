import { HtmlValidate } from 'html-validate';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { markupRules } from '../support/markup-rules.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';
import { findViolations } from '../support/watched-browser.ts';

const app = await startApp();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const visit = createVisitor(app.baseUrl);

const row = (cell: string, columns: number) => `|${`${cell}|`.repeat(columns)}`;
const table = (cell: string, columns: number) =>
  [row(cell, columns), row('-', columns), row(cell, columns)].join('\n');
const word = 'Donaudampfschifffahrt';

const content = [
  '## Setup\n\n## Setup\n\n## Setup 2\n\n[to the second](#setup-1)[^1]',
  table(word, 12),
  table('a', 2),
  `> ${table(`${word}${word}`, 2).replaceAll('\n', '\n> ')}`,
  `<table><tr><td><table><tr><td>${word.repeat(9)}</td></tr></table></td></tr></table>`,
  `\`\`\`ts\nconst a = '${word.repeat(20)}';\n\`\`\``,
  '```\nshort\n```',
  '<pre>漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字</pre>',
  '<audio src="/media/none.mp3"></audio>\n\n- [ ] a task\n- [x] another',
  '<p id="setup">anchor</p><p id="main">another</p>\n\n[^1]: A note.',
].join('\n\n');
await studio.posts.create.mutate({ title: 'Wide', slug: 'wide', content });
await studio.pages.create.mutate({ title: 'Wide page', slug: 'wide-page', content });
await studio.projects.create.mutate({ title: 'Wide project', slug: 'wide-project', description: content });
for (const title of ['One talk', 'Another'])
  await studio.talks.create.mutate({ title, description: content.replace(word, title) });

const paths = ['/posts/wide', '/wide-page', '/projects/wide-project', '/talks', '/projects', '/'];

/** Elements that scroll sideways, with their names if they can be focused by keyboard. */
const scrolled = `[...document.querySelectorAll('main *')]
  .filter((each) => each.scrollWidth > each.clientWidth && ['auto', 'scroll'].includes(getComputedStyle(each).overflowX))
  .map((each) => each.tabIndex === 0 ? each.getAttribute('aria-label') : 'not reached: ' + each.outerHTML.slice(0, 99))`;

test.for([390, 1_280])(
  'everything that scrolls on a page %i pixels wide can be focused by keyboard, without axe violations',
  async (width) => {
    const page = await browser.open({
      viewport: { width, height: 900 },
      javaScriptEnabled: true,
      bypassCSP: true,
    });
    for (const path of paths) {
      await page.goto(app.baseUrl + path);
      expect([path, await findViolations(page)]).toEqual([path, []]);
      const names = await page.evaluate<string[]>(scrolled);
      expect(names.filter((name) => !/^(Table|Code)/.test(name ?? ''))).toEqual([]);
      if (path === '/posts/wide') {
        expect(names).toEqual(expect.arrayContaining(['Table', 'Code: TypeScript']));
      }
    }
    await page.context().close();
  },
);

test('elements that never scroll cannot be focused', async () => {
  const { text } = await visit('/posts/wide');
  expect(text).toContain('<div class="frame"><table>');
  expect(text).toContain('<pre><code>short');
});

test.for(paths)('%s is valid HTML: its IDs and frame names are unique', async (path) => {
  const { text } = await visit(path);
  const report = await new HtmlValidate(markupRules).validateString(text);
  expect(report.results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => value);
  for (const values of [all(/ id="([^"]*)"/g), all(/<section class="frame" [^>]*aria-label="([^"]*)"/g)])
    expect(new Set(values).size).toBe(values.length);
});

test('the table of contents links to each heading, also to headings with equal texts', async () => {
  const { text } = await visit('/posts/wide');
  const contents = /<nav class="contents".*?<\/nav>/s.exec(text)?.[0] ?? '';
  const links = [...contents.matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => decodeURIComponent(id));
  expect(links).toEqual(['h-setup-2', 'h-setup-3', 'h-setup-2-2']);
  for (const id of links) expect(text.split(` id="${id}"`)).toHaveLength(2);
});
