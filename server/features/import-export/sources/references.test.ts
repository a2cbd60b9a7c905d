import { expect, test } from 'vitest';
import { rewriteReferences } from './references.ts';

const moved = (text: string, form: 'markdown' | 'html' = 'markdown') =>
  rewriteReferences(text, form, ({ target }) => (target.startsWith('http') ? null : `/media/x/${target}`));

test.for([
  ['![a](b.png)', '![a](/media/x/b.png)'],
  ['![a](b.png "Its title")', '![a](/media/x/b.png "Its title")'],
  ['[a](<b c.md>) and [d](e_(f).md)', '[a](/media/x/b c.md) and [d](/media/x/e_(f).md)'],
  ['[![a](b.png)](c.md)', '[![a](/media/x/b.png)](/media/x/c.md)'],
  ['[a][1]\n\n[1]: b.png "B"\n', '[a][1]\n\n[1]: /media/x/b.png "B"\n'],
  [
    '![[b.png]] ![[b.png|200]] ![[b.png|A loaf]]',
    '![](/media/x/b.png) ![](/media/x/b.png) ![A loaf](/media/x/b.png)',
  ],
  ['<img alt="" src=\'b.png\'> <a href=c.md>', '<img alt="" src="/media/x/b.png"> <a href="/media/x/c.md">'],
  ['<a href="?a=1&amp;b=2">', '<a href="/media/x/?a=1&amp;b=2">'],
  ['<img srcset="a.png 300w, b.png 1200w, c.png 2x">', '<img srcset="/media/x/b.png">'],
  ['[a](https://example.com/b.png)', '[a](https://example.com/b.png)'],
  ['`![a](b.png)` and ![a](b.png)', '`![a](b.png)` and ![a](/media/x/b.png)'],
  ['```\n![a](b.png)\n```\n![a](b.png)', '```\n![a](b.png)\n```\n![a](/media/x/b.png)'],
  ['~~~html\n<img src="b.png">\n~~~\n', '~~~html\n<img src="b.png">\n~~~\n'],
  ['A ` alone.\n\n![a](b.png)', 'A ` alone.\n\n![a](/media/x/b.png)'],
  ['if [[ -f a ]]; then [a] (b)', 'if [-f a](/media/x/-f a); then [a] (b)'],
] as const)('%s', ([text, expected]) => {
  expect(moved(text)).toBe(expected);
});

test('of HTML only its attributes point at something', () => {
  const text = '<p>A ` and [[b]] and ![a](b.png)</p><img src="b.png">';
  expect(moved(text, 'html')).toBe('<p>A ` and [[b]] and ![a](b.png)</p><img src="/media/x/b.png">');
});
