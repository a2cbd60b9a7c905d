import { expect, test } from 'vitest';
import { excerpt, plainParagraphs } from './excerpt.ts';

test.for([
  ['marks', '*a* **b** ~~c~~ `d_e` [f](https://a.example) ![g](h.png)', 'a b c d_e f'],
  [
    'words with underscores and stars',
    'snake_case, __init__py and 2 * 3 * 4 > 5',
    'snake_case, __init__py and 2 * 3 * 4 > 5',
  ],
  ['literal text', '`__init__` is \\*not\\* &amp; &lt;b&gt;', '__init__ is *not* & <b>'],
  ['a heading, a picture and code in front', '# A\n\n![b](c.png)\n\n```\nd\n```\n\ne', 'e'],
  ['a table in front', '|a|b|\n|-|-|\n|c|d|\n\ne', 'e'],
  ['line breaks', 'a\nb  \nc<br>d\n\ne', 'a b c d'],
  ['a list', '- a\n- *b*\n  - c\n\nd', 'a · b · c'],
  ['a quotation', '> a\n>\n> b\n\nc', 'a b'],
  ['a footnote', 'a[^1]\n\n[^1]: b', 'a'],
  ['HTML', '<h2>a</h2><!-- b --><p class="c">d <b>e</b> &amp; f</p><p>g</p>', 'd e & f'],
  ['HTML around Markdown', '<div>\n\n*a*\n\n</div>', 'a'],
  ['scripts', '<script>a</script><style>b</style>\n\nc', 'c'],
  ['nothing', '', ''],
  ['much code in front', `\`\`\`\n${'a\n'.repeat(1_500)}\`\`\`\n\nb`, 'b'],
  ['a long address', `a [b](https://c.example/${'c'.repeat(1_500)}) d\n\ne`, 'a b d'],
])('the excerpt of %s is plain text', ([, content = '', text]) => {
  expect(excerpt(content)).toBe(text);
});

/** Returns the excerpt of a text of which only the first `length` characters are read. */
const openingOfCut = (text: string, length: number) =>
  excerpt(`\`\`\`\n${'a'.repeat(8_000 - 10 - length)}\n\`\`\`\n\n${text}${' z'.repeat(100)}`);

test('an excerpt at the limit contains no partial tag or character', () => {
  const link = 'b <a href="https://c.example" title="d e">';
  for (let length = 1; length < link.length; length++) expect(openingOfCut(link, length)).toBe('b');
  expect(openingOfCut(`${link}f</a>`, link.length + 1)).toBe('b f');
  expect(openingOfCut(`${link}f</a>`, link.length + 3)).toBe('b f');
  for (const length of [1, 2, 3, 4]) expect(openingOfCut('b🦆🦆', length)).toMatch(/^b🦆?$/u);
});

test('a less-than sign does not begin a tag', () => {
  const text = 'a<b and c < d, so e';
  expect(openingOfCut(text, text.length)).toBe(text);
});

test('the excerpt of a body that is built to be slow is found', () => {
  for (const piece of ['[', '*a_', '<div>', '<', '> ', '![](', '`', '- ', '<!--', '<script', '&', '|a|b|\n'])
    expect(excerpt(piece.repeat(500_000 / piece.length))).toEqual(expect.any(String));
});

test('paragraphs are separate, including lists', () => {
  expect(plainParagraphs('# a\n\nb\nc\n\n- d\n- e\n\n[^1]f\n\n[^1]: g')).toEqual(['b c', 'd · e', 'f']);
});

test('a caption is not a paragraph, in Markdown and in HTML', () => {
  const html = '<figure><img src="/a.png"><figcaption>b</figcaption></figure>';
  expect(plainParagraphs(`![a](/a.png "b")\n\nc\n\n${html}`)).toEqual(['c']);
});
