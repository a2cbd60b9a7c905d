import { expect, test } from 'vitest';
import { renderBody } from './render.ts';

const htmlOf = (content: string) => renderBody(content).html;

test.for([
  ['emphasis', '*a* **b**', '<p><em>a</em> <strong>b</strong></p>\n'],
  [
    'a link to elsewhere',
    '[a](https://b.example)',
    '<p><a href="https://b.example" rel="noopener">a</a></p>\n',
  ],
  ['a link within the site', '[a](/b#c)', '<p><a href="/b#c">a</a></p>\n'],
  [
    'a picture',
    '![a](https://b.example/c.png)',
    '<p><img src="https://b.example/c.png" alt="a" loading="lazy" decoding="async" /></p>\n',
  ],
  [
    'a picture alone with its caption',
    '![a](https://b.example/c.png "By \'d\' <e> https://f.example")',
    '<figure><img src="https://b.example/c.png" alt="a" loading="lazy" decoding="async" /><figcaption>By ‘d’ &lt;e&gt; <a href="https://f.example" rel="noopener">https://f.example</a></figcaption></figure>\n',
  ],
  [
    'a picture alone in an item, and a link',
    '- [![](/b.png "c")](/d)',
    '<ul>\n<li>\n<figure><a href="/d"><img src="/b.png" alt="" loading="lazy" decoding="async" /></a><figcaption>c</figcaption></figure>\n</li>\n</ul>\n',
  ],
  [
    'a picture among words',
    'a ![](/b.png "c")',
    '<p>a <img src="/b.png" alt="" title="c" loading="lazy" decoding="async" /></p>\n',
  ],
  ['quotation marks', '"a" -- b', '<p>“a” – b</p>\n'],
  ['HTML', '<details><summary>a</summary>b</details>', '<details><summary>a</summary>b</details>'],
])('%s is rendered', ([, written, html]) => {
  expect(htmlOf(written ?? '').replace(/<img [^>]*>/, (tag) => sortedAttributes(tag))).toBe(
    sortedAttributes(html ?? ''),
  );
});

const sortedAttributes = (html: string) =>
  html.replace(
    /<img ([^>]*) \/>/,
    (_, attributes: string) =>
      `<img ${attributes
        .match(/\w+="[^"]*"/g)
        ?.toSorted()
        .join(' ')} />`,
  );

test('headings begin below the title of the page, and skip no level', () => {
  const levels = (text: string) => [...htmlOf(text).matchAll(/<h(\d)/g)].map(([, level]) => level);
  expect(levels('# a\n## b\n# c')).toEqual(['2', '3', '2']);
  expect(levels('## a\n##### b\n### c')).toEqual(['2', '3', '3']);
  expect(levels('<h6>a</h6>')).toEqual(['2']);
});

test('footnotes, tables, task lists and highlighted code are rendered', () => {
  const html = htmlOf('a[^1]\n\n[^1]: b\n\n|a|b|\n|-|-:|\n|c|d|\n\n- [x] e\n\n```ts\nconst f = 1;\n```');
  for (const part of [
    '<li class="footnote-item" id="footnote1">',
    '<td class="align-right">d</td>',
    '<input type="checkbox" class="task-list-item-checkbox" checked="checked" disabled="disabled" id="task-item-0" />',
    '<span class="hljs-keyword">const</span>',
  ])
    expect(html).toContain(part);
});

test('a frame of another site becomes a link to its content, with its title or its host', () => {
  expect(
    htmlOf('<figure><iframe src="//www.video.example/embed/1?a=b&amp;c" title="A <b>"></iframe></figure>'),
  ).toBe(
    '<figure><a href="https://www.video.example/embed/1?a=b&amp;c" rel="noopener">A &lt;b&gt;</a></figure>',
  );
  expect(htmlOf('<iframe src="http://www.map.example/">instead</iframe>')).toBe(
    '<a href="http://www.map.example/" rel="noopener">map.example</a>',
  );
  for (const src of ['javascript:alert(1)', '/studio', 'data:text/html,x', 'http://'])
    expect(htmlOf(`<iframe src="${src}" title="a"></iframe>`)).not.toContain('<');
});

test.for([
  ['one that ends in a slash', '<iframe src="https://a.example/" title="Film" />', 'Film'],
  ['one without an end', '<iframe src="https://a.example/" title="Film">', 'Film'],
  ['one with a mark in its title', '<iframe src="https://a.example/" title="a > b"></iframe>', 'a &gt; b'],
  ['one with elements in it', '<iframe src="https://a.example/"><p>old</p></iframe>', 'a.example'],
  ['one with a password', '<iframe src="https://me:secret@a.example/"></iframe>', 'a.example'],
] as const)('of %s a frame removes nothing that follows it', ([, given, label]) => {
  const link = `<a href="https://a.example/" rel="noopener">${label}</a>`;
  const html = htmlOf(`Before\n\n${given}\n\n# Heading\n\n<p>after</p>\n\nlast`);
  expect(html.split(link)).toHaveLength(2);
  expect(
    html
      .replace(/<[^>]*>|\s+/g, ' ')
      .replace(/ +/g, ' ')
      .trim(),
  ).toBe(`Before ${label} Heading after last`);
});

test('of the inputs in a body only checkboxes are shown, disabled', () => {
  expect(htmlOf('<input type="checkbox" checked> a <input type="range" max="9"> b <input name="c">')).toBe(
    '<p><input type="checkbox" checked disabled="disabled" /> a  b </p>\n',
  );
  expect(htmlOf('<p><input type="CHECKBOX"></p>')).toContain('<input');
});

test('an id of a body has a prefix, and classes and styles are removed', () => {
  expect(htmlOf('<p id="main" class="top door" style="position:fixed">a</p>')).toBe('<p id="h-main">a</p>');
});

test('a body that is built to be slow is rendered', () => {
  for (const piece of ['[', '*a_', '<div>', '> ', '![](', '`', '- ', '<!--', '&', '|a|b|\n'])
    expect(htmlOf(piece.repeat(Math.floor(20_000 / piece.length)))).toEqual(expect.any(String));
});

test.for([
  ['tags', '<b>'.repeat(160_000)],
  ['footnotes', `${'[^1]'.repeat(100_000)}\n\n[^1]: a`],
])('a body that repeats %s is shown as source text', ([, content]) => {
  expect(htmlOf(content ?? '')).toBe(
    `<pre>${content?.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`,
  );
});
