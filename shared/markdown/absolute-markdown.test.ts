import { expect, test } from 'vitest';
import { withAbsoluteUrls } from '../content/sanitized-html.ts';
import { withAbsoluteMarkdown } from './absolute-markdown.ts';
import { renderBody } from './render.ts';

const base = 'https://a.example/posts/b';
const absolute = (content: string) => withAbsoluteMarkdown({ content, base });

test.for([
  ['[a](../up)', '[a](https://a.example/up)'],
  ['[a](?b=1&amp;c=2 "d")', '[a](https://a.example/posts/b?b=1&c=2 "d")'],
  ['![a](pic.png)', '![a](https://a.example/posts/pic.png)'],
  ['[![a](/b.png)](c)', '[![a](https://a.example/b.png)](https://a.example/posts/c)'],
  [
    '[a](<b c>) [d](e_(f)) [g](h\\(i)',
    '[a](https://a.example/posts/b%20c) [d](<https://a.example/posts/e_(f)>) [g](<https://a.example/posts/h(i>)',
  ],
  ['[a](#part)\n\n## A part {#part}', '[a](https://a.example/posts/b#h-part)\n\n## A part {#part}'],
  ['[a](#a-part)\n\n## A part', '[a](https://a.example/posts/b#h-a-part)\n\n## A part'],
  ['[a](#none)', '[a](https://a.example/posts/b#none)'],
  [
    '[a](https://b.example) [c](mailto:a@b.example) <https://c.example>',
    '[a](https://b.example) [c](mailto:a@b.example) <https://c.example>',
  ],
  [
    '[a][b] [c]\n\n[b]: ../d "e"\n[c]: <f>',
    '[a][b] [c]\n\n[b]: https://a.example/d "e"\n[c]: https://a.example/posts/f',
  ],
  [
    '> - [a](b)\n>\n> [c]\n>\n> [c]: d',
    '> - [a](https://a.example/posts/b)\n>\n> [c]\n>\n> [c]: https://a.example/posts/d',
  ],
  ['|a|\n|-|\n|[b](c\\|d)|', '|a|\n|-|\n|[b](https://a.example/posts/c%7Cd)|'],
  ['a[^1] b[^2]\n\n[^1]: c\n[^2]: [d](e)', 'a[^1] b[^2]\n\n[^1]: c\n[^2]: [d](https://a.example/posts/e)'],
  [
    "<img src=a.png srcset='b.png 1x, /c.png 2x'>",
    '<img src="https://a.example/posts/a.png" srcset="https://a.example/posts/b.png 1x, https://a.example/c.png 2x">',
  ],
  [
    '<video poster="a.jpg" src="b.mp4"></video>',
    '<video poster="https://a.example/posts/a.jpg" src="https://a.example/posts/b.mp4"></video>',
  ],
  ['<a\n href = "?a=1&amp;b=2">c</a>', '<a\n href = "https://a.example/posts/b?a=1&amp;b=2">c</a>'],
] as const)('an address in Markdown is absolute: %s', ([content, expected]) => {
  expect(absolute(content)).toBe(expected);
});

test.for([
  'plain text',
  '`[a](b)` and `<a href="c">`',
  '```\n[a](b)\n<img src="c.png">\n```',
  '    [a](b)',
  'say href="a" and \\[b](c), [d] (e)',
  'a[^1]\n\n[^1]: b',
  '[a]: b "not used"',
  '[a](b (c)',
  '<!-- <a href="b"> -->',
])('text that is not an address stays unchanged: %s', (content) => {
  expect(absolute(content)).toBe(content);
});

test('HTML of a body has absolute addresses, and code stays', () => {
  const html = renderBody(
    '[a](../up) [b](?c=1) ![d](pic.png) [e](#part)\n\n## Part\n\n<img src="/f.png" srcset="g.png 1x, https://b.example/h.png 2x"> <video poster="i.jpg"></video> <a href="http://[">j</a>',
  ).html;
  const made = withAbsoluteUrls(html, base);
  expect([...made.matchAll(/ (?:href|src|srcset|poster)="([^"]*)"/g)].map(([, value]) => value)).toEqual([
    'https://a.example/up',
    'https://a.example/posts/b?c=1',
    'https://a.example/posts/pic.png',
    'https://a.example/posts/b#h-part',
    'https://a.example/f.png',
    'https://a.example/posts/g.png 1x, https://b.example/h.png 2x',
    'https://a.example/posts/i.jpg',
  ]);
  const code = renderBody('`<a href="/k">`').html;
  expect(withAbsoluteUrls(code, base)).toBe(code);
});
