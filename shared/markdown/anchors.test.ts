import { expect, test } from 'vitest';
import { renderBody } from './render.ts';

const htmlOf = (content: string) => renderBody(content).html;
const idsIn = (content: string) => [...htmlOf(content).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
const headingsIn = (content: string) =>
  [...htmlOf(content).matchAll(/<h\d id="([^"]*)"/g)].map(([, id]) => id);
const linksIn = (content: string) =>
  [...htmlOf(content).matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => decodeURIComponent(id));

test.for([
  ['a number that another heading ends with', 'Setup|Setup|Setup 2', 'h-setup|h-setup-2|h-setup-2-2'],
  ['a number that comes first', 'Setup 2|Setup|Setup|Setup', 'h-setup-2|h-setup|h-setup-3|h-setup-4'],
  ['several repetitions', 'A|A|A 2|A 2|A', 'h-a|h-a-2|h-a-2-2|h-a-2-3|h-a-3'],
  ['headings without words', '🪿|!|Part|🪿', 'h-part|h-part-2|h-part-3|h-part-4'],
  [
    'headings cut at the same length',
    `${'a '.repeat(60)}b|${'a '.repeat(60)}c`,
    `h-${'a-'.repeat(29)}a|h-${'a-'.repeat(29)}a-2`,
  ],
] as const)('the ids of headings are unique: %s', ([, titles, ids]) => {
  expect(
    headingsIn(
      titles
        .split('|')
        .map((title) => `## ${title}`)
        .join('\n\n'),
    ),
  ).toEqual(ids.split('|'));
});

test.for([
  ['to a heading by its words', '[x](#the-part)\n\n## The part', 'h-the-part'],
  ['to a heading by its id', '[x](#h-the-part)\n\n## The part', 'h-the-part'],
  ['to a heading with an id', '[x](#there)\n\n## The part {#there}', 'h-there'],
  ['to a heading with an id, by its words', '[x](#the-part)\n\n## The part {#there}', 'h-there'],
  ['to a heading with an id, by the id of its words', '[x](#h-the-part)\n\n## The part {#there}', 'h-there'],
  ['to an underlined heading with an id', '[x](#a.b:c)\n\nTitle {#a.b:c}\n---', 'h-a.b:c'],
  ['to a heading with closing marks', '[x](#id)\n\n## Title {#id} ##', 'h-id'],
  ['with an id of underscores', '[x](#__init__)\n\n## Title {#__init__}', 'h-__init__'],
  ['to a repeated heading', '[x](#a-1)\n\n## A\n\n## A', 'h-a-2'],
  [
    'to a heading whose GitHub slug another one has as its words',
    '[x](#a-1)\n\n## A\n\n## A 1\n\n## A',
    'h-a-1',
  ],
  ['to a heading with marks', "[x](#whats-new--fixed)\n\n## What's new & *fixed*?", 'h-what-s-new-fixed'],
  ['to a heading with dashes and quotation marks', '[x](#a----b)\n\n## "A" -- b', 'h-a-b'],
  ['to a heading with code', '[x](#the-a_b-option)\n\n## The `a_b` option', 'h-the-a-b-option'],
  ['to a heading with letters of other scripts', '[x](#żółć-ça) \n\n## Żółć ça', 'h-żółć-ça'],
  ['to a decomposed heading', `[x](#${'é'.normalize('NFD')})\n\n## É`, 'h-é'],
  ['with an encoded blank', '<a href="#a%20b">x</a> <p id="a b">c</p>', 'h-a-b'],
  ['to a named anchor', '[x](#here)\n\n<a name="here"></a>Text', 'h-here'],
  ['to an anchor with an id', '[x](#here)\n\nText <a id="here">b</a>', 'h-here'],
  ['to a heading in HTML', '[x](#here)\n\n<h2 id="here">Other</h2>', 'h-here'],
  ['to any element', '<p><a href="#here">x</a></p><figure id="here"><img src="/a.png"></figure>', 'h-here'],
  ['to a declared id rather than to words', '[x](#a)\n\n## A\n\n## B {#a}', 'h-a'],
  ['to words rather than to an id of ours', '[x](#h-a)\n\n## A\n\n## H a', 'h-h-a'],
  ['to nothing', '[x](#none)\n\n## A', 'none'],
] as const)('a link in a body leads %s', ([, content, id]) => {
  expect(linksIn(content)).toEqual([id]);
  if (id !== 'none') expect(idsIn(content).filter((each) => each === id)).toHaveLength(1);
});

test('only an id at the end of a heading is a declaration', () => {
  for (const text of ['a {#b} c', 'a\\{#b}', 'a{#b}', '{#b}', 'a {#b c}', 'a `x {#b}`', 'a {#<b>}'])
    expect(htmlOf(`## ${text}`)).toContain('#');
  expect(htmlOf('a {#b}')).toBe('<p>a {#b}</p>\n');
  expect(htmlOf('## a {#b}')).toBe('<h2 id="h-b">a</h2>\n');
});

test('a heading keeps the id of its words beside an anchor that declares the same id', () => {
  expect(htmlOf('<a name="setup"></a>\n\n## Setup')).toBe('<p><a></a></p>\n<h2 id="h-setup">Setup</h2>\n');
  expect(htmlOf('## <a id="setup"></a>Setup')).toBe('<h2 id="h-setup"><a></a>Setup</h2>\n');
  expect(idsIn('<a id="setup"></a>Far away\n\n## Setup')).toEqual(['h-setup', 'h-setup-2']);
});

test('a heading in HTML with an id is also found by the id of its words, which it had before', () => {
  expect(htmlOf('<h2 id="x1">Setup</h2>')).toBe('<h2 id="h-x1"><a id="h-setup"></a>Setup</h2>');
  expect(htmlOf('<h2 id="setup">Setup</h2>')).toBe('<h2 id="h-setup">Setup</h2>');
});

test('ids that a body declares differ from ids of the page, footnotes, tasks and headings', () => {
  const content = [
    '<p id="main">a</p><p id="main">b</p><p id=" ">c</p><li id="footnote1">d</li><label for="q">e</label>',
    'f[^1] g[^1] ^[h]\n\n[^1]: i\n\n- [ ] j\n- [x] k\n\n<a id="task-item-0"></a>\n\n## Footnote1\n\n## Task item 0 {#main}',
  ].join('\n\n');
  const ids = idsIn(content);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^(h-|footnote(-ref)?\d|task-item-\d)/.test(id ?? ''))).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(['h-main', 'h-main-2', 'h-main-3', 'footnote1', 'task-item-1']));
  expect(htmlOf(content)).toContain('for="h-q"');
});

test('footnotes written as HTML lead to each other', () => {
  const content =
    'Ash<sup class="footnote-ref"><a href="#footnote1" id="footnote-ref1">[1]</a></sup>\n\n<ol><li id="footnote1">Oak <a href="#footnote-ref1">back</a></li></ol>';
  expect(linksIn(content)).toEqual(['footnote1', 'footnote-ref1']);
  expect(idsIn(content)).toEqual(['footnote-ref1', 'footnote1']);
});
