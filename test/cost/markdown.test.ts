import hljs from 'highlight.js/lib/common';
import { expect, test } from 'vitest';
import { renderBody, withAbsoluteMarkdown } from '../../shared/markdown/index.ts';
import { markdownToHtml } from '../../shared/markdown/to-html.ts';
import { expectLinear } from '../support/expect-linear.ts';

// Bodies that are built to be slow: markup that is repeated, nested, unfinished or almost valid.

const filled = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const marks = [
  '*',
  '_',
  '~~',
  '`',
  '[',
  '](',
  '![',
  '<',
  '>',
  '&',
  '\\',
  '"',
  "'",
  ':',
  '-',
  '#',
  '|',
  '^',
  '\n',
  '\t',
  ' ',
];
const pieces = [
  ...marks,
  ...[
    '**a',
    '*a_',
    '*a **b',
    '__a__ ',
    '`a',
    '``a`',
    '[a](',
    '[a](b',
    '[a](<b',
    '[a](b "c',
    '[a][',
    '[a]: ',
    '[a]:\n',
  ],
  ...[
    '![a](b)',
    '[![',
    '[[a]',
    '[^1]',
    '[^a]: b\n',
    '^[a',
    '<a ',
    '<a b="',
    '<b>',
    '</b>',
    '<!--',
    '<!-- -',
    '<![CDATA[',
  ],
  ...[
    '<?',
    '<!A',
    '<a\n',
    '<div>\n',
    '</div>\n',
    '<script>',
    '&amp;',
    '&#',
    '&#x1',
    '&a',
    'http://',
    'http://a.',
    'http://a/(',
  ],
  ...[
    'mailto:',
    'a@b.c ',
    '//a',
    '> ',
    '>',
    '- ',
    '1. ',
    '* a\n',
    '- [ ] a\n',
    '\t',
    '    a\n',
    '# a\n',
    'a\n===\n',
    '***\n',
  ],
  ...[
    '```\n',
    '~~~',
    '|a|b|\n',
    '|-',
    'a|b\n-|-\n',
    'a|b\n-|-\n> a|b\n',
    'a|b\n-|-\nc\n',
    '|a\n|-\n',
    '"a',
    "'a' ",
    '...',
    '--',
    '(c)',
  ],
  ...[
    '<img src="',
    '<a href="javascript:',
    '<i><b>',
    '<p><div>',
    '<li>',
    '<td>',
    '<h1>',
    '<details>',
    '<input>',
    'a&',
    '\u00e9',
    '\ud83e\udd86',
  ],
];

test.for(pieces.map((piece) => [JSON.stringify(piece), piece] as const))(
  'a text that repeats %s is rendered in linear time',
  async ([, piece]) => {
    await expectLinear({ make: (size) => filled(piece, size), read: renderBody, ...bounds });
  },
);

const bounds = { bound: 64_000, maxMs: 1_500 };

const base = 'https://a.example/posts/b';

test.for([
  ['headings of one name', '# a\n'],
  ['headings that declare one id', '# a {#b}\n'],
  ['headings in HTML with one id', '<h2 id="a">b</h2>'],
  ['anchors at headings', '<a id="a"></a>\n\n# a\n\n'],
  ['links to a heading', '[a](#b) '],
  ['links with addresses', '[a](b) '],
  ['unfinished declarations', '# a {#'],
  ['references', '[a]: b\n'],
  ['footnotes in footnotes', '[^a]:[^b]:'],
  ['unfinished attributes', '<a href="x"> <a href=\''],
  ['parentheses', '](a('],
] as const)('%s: rendered in linear time', async ([, piece]) => {
  const make = (size: number) => `# b\n\n${filled(piece, size)}`;
  await expectLinear({ make, read: renderBody, ...bounds });
  await expectLinear({ make, read: (content) => withAbsoluteMarkdown({ content, base }), ...bounds });
});

test('headings whose numbered IDs are taken are rendered in linear time', async () => {
  const make = (size: number) => Array.from({ length: size / 16 }, (_, at) => `# a ${at}\n# a\n`).join('');
  await expectLinear({ make, read: renderBody, ...bounds });
});

test.for([
  ['brackets around brackets', (size: number) => `${filled('[', size / 2)}${filled(']', size / 2)}`],
  ['links within links', (size: number) => `${filled('[', size / 3)}a${filled('](b)', size / 2)}`],
  ['quotations within quotations', (size: number) => filled(`${'> '.repeat(90)}a\n`, size)],
  [
    'lists within lists',
    (size: number) =>
      Array.from({ length: Math.sqrt(size) }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n'),
  ],
  ['emphasis that is never closed', (size: number) => filled('a **b ', size)],
  [
    'backticks of all lengths',
    (size: number) => Array.from({ length: Math.sqrt(2 * size) }, (_, at) => '`'.repeat(at + 1)).join(' '),
  ],
  [
    'definitions of links',
    (size: number) => Array.from({ length: size / 12 }, (_, at) => `[a${at}]: /b`).join('\n'),
  ],
  [
    'footnotes',
    (size: number) => Array.from({ length: size / 25 }, (_, at) => `a[^${at}]\n\n[^${at}]: b\n`).join('\n'),
  ],
  ['a footnote that is named everywhere', (size: number) => `${filled('[^1]', size)}\n\n[^1]: a`],
  [
    'a table with many columns, whose rows have none',
    (size: number) => `${filled('a|', size / 3)}b\n${filled('-|', size / 3)}-\n${filled('c\n', size / 3)}`,
  ],
  [
    'many such tables',
    (size: number) => filled(`${'a|'.repeat(180)}b\n${'-|'.repeat(180)}-\n${'c\n'.repeat(362)}\n`, size),
  ],
  ['an attribute without an end', (size: number) => `<a href="${filled('b', size)}`],
  ['a tag with attributes', (size: number) => `<a ${filled('b="c" ', size)}>d</a>`],
  ['a word', (size: number) => filled('a', size)],
  ['blanks before a word', (size: number) => `${filled(' ', size)}a`],
  ['blanks within a heading', (size: number) => `# a${filled(' ', size)}b`],
  ['marks at the end of a heading', (size: number) => `# a ${filled('#', size)}b`],
] as const)('%s: rendered in linear time', async ([, make]) => {
  await expectLinear({ make, read: renderBody, ...bounds });
});

/** Returns a body of code in one language, in lines of the maximum length. */
const codeIn = (language: string, piece: string) => (size: number) => {
  const line = filled(piece, 299).replaceAll('\n', ' ');
  const block = `\`\`\`${language}\n${filled(`${line}\n`, 7_900)}\n\`\`\`\n\n`;
  return size < block.length
    ? `\`\`\`${language}\n${filled(`${line}\n`, size)}\n\`\`\``
    : filled(block, size);
};

// Blocks are highlighted one by one. Two of them are half of the code that is highlighted in a body.
test.for(hljs.listLanguages())('code in %s is rendered in linear time', async (language) => {
  const dear = [
    '[a](',
    'a',
    '$',
    '"',
    '(',
    '<',
    '{',
    'public ',
    'a.',
    '1.',
    '/',
    '*',
    '`',
    '<<A ',
    'a b(',
    '\\',
    '=',
  ];
  for (const piece of dear)
    await expectLinear({ make: codeIn(language, piece), read: renderBody, bound: 16_000, maxMs: 500 });
});

test('more code than is highlighted is rendered in linear time', async () => {
  const blocks = renderBody(codeIn('ts', 'const ')(5 * 7_900))
    .html.split('<pre>')
    .slice(1);
  expect(blocks.map((block) => block.includes('hljs'))).toEqual([true, true, true, true, false]);
  await expectLinear({ make: codeIn('csharp', 'public '), read: renderBody, bound: 64_000, maxMs: 1_000 });
});

// Long enough that quadratic time would dominate any noise.
test('a list of tasks four times the maximum length of a body is rendered in linear time', async () => {
  const make = (size: number) => filled('- [ ] a\n', size);
  await expectLinear({ make, read: markdownToHtml, bound: 400_000, maxMs: 5_000 });
});

test('code in Markdown, and code blocks or lines above the maximum length, are not highlighted', () => {
  for (const code of [
    '```markdown\n[a](b)\n```',
    `\`\`\`ts\n${'a;\n'.repeat(2_700)}\`\`\``,
    `\`\`\`ts\n${'a;'.repeat(200)}\n\`\`\``,
  ])
    expect(renderBody(code).html).not.toContain('hljs');
  expect(renderBody('```ts\nconst a = 1;\n```').html).toContain('hljs');
});

test('tables with more missing cells than allowed are shown as source text', () => {
  const table = (columns: number, rows: number) =>
    `${'a|'.repeat(columns)}b\n${'-|'.repeat(columns)}-\n${'c\n'.repeat(rows)}`;
  expect(renderBody(table(9, 100)).html).toContain('<table>');
  expect(renderBody(table(99, 200)).html).not.toContain('<table>');
  expect(renderBody(`${table(99, 80)}\n${table(99, 80)}`).html.split('<table>')).toHaveLength(2);
  expect(renderBody('a|b\n-|-\nc|d\n\n'.repeat(500)).html.split('<table>')).toHaveLength(501);
});
