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
  [
    '| a |\n|---|\n| [[b\\|c]] ![[d.png\\|75]] ![[e.png\\|An \\| oar\\|75x20]] |',
    '| a |\n|---|\n| [c](/media/x/b) ![](/media/x/d.png) ![An \\| oar](/media/x/e.png) |',
  ],
  ['> - [[b|c]] [[d]] ![[e f.png]]', '> - [c](/media/x/b) [d](/media/x/d) ![](/media/x/e f.png)'],
  [
    '![[a.mp3]] ![[b.MP4|300]] ![[c.pdf]] ![[d]]',
    '<audio controls src="/media/x/a.mp3"></audio> <video controls src="/media/x/b.MP4"></video> [c.pdf](/media/x/c.pdf) [d](/media/x/d)',
  ],
  [
    '> [a][1]\n>\n> [1]: b.png\n\n- c\n\n  [2]: d.png',
    '> [a][1]\n>\n> [1]: /media/x/b.png\n\n- c\n\n  [2]: /media/x/d.png',
  ],
  ['- a\n\n  ```\n  b\n\n  [[c]]\n  ```\n  [[d]]', '- a\n\n  ```\n  b\n\n  [[c]]\n  ```\n  [d](/media/x/d)'],
  ['> ~~~\n> [[a]]\n> ~~~\n> [[b]]', '> ~~~\n> [[a]]\n> ~~~\n> [b](/media/x/b)'],
  ['a\n\n    [[b]]\n\n[[c]]', 'a\n\n    [[b]]\n\n[c](/media/x/c)'],
  ['[[#12]](https://example.com) [[|a]] [[]]', '[[#12]](https://example.com) [[|a]] [[]]'],
  ['if [[ -f a ]]; then [a] (b)', 'if [-f a](/media/x/-f a); then [a] (b)'],
] as const)('references in an imported text are rewritten: %s becomes %s', ([text, expected]) => {
  expect(moved(text)).toBe(expected);
});

test('the largest available image replaces several sizes', () => {
  const here = ({ target }: { target: string }) =>
    target === 'b.png' || target === 'c.png' ? `/${target}` : null;
  const text = '<img srcset="a.png 900w, c.png 300w, b.png 600w"><img srcset="d.png 2x">';
  expect(rewriteReferences(text, 'html', here)).toBe('<img srcset="/b.png"><img srcset="d.png 2x">');
});

test('fragments are decoded', () => {
  const seen: string[] = [];
  rewriteReferences(
    '[[a#b c#d\\|e]] [[#^f]] [g](h#%C3%A9) <a href="#i%">',
    'markdown',
    ({ target, fragment }) => {
      seen.push(`${target} ${fragment}`);
      return null;
    },
  );
  expect(seen).toEqual(['a b c#d', ' ^f', 'h#%C3%A9 é', '#i% i%']);
});

test('in HTML, only attributes are references', () => {
  const text = '<p>A ` and [[b]] and ![a](b.png)</p><img src="b.png">';
  expect(moved(text, 'html')).toBe('<p>A ` and [[b]] and ![a](b.png)</p><img src="/media/x/b.png">');
});
