import { expect, test } from 'vitest';
import { plainParagraphs } from './plain-paragraphs.ts';

test('paragraphs are told apart, lists among them', () => {
  expect(plainParagraphs('# a\n\nb\nc\n\n- d\n- e\n\n[^1]f\n\n[^1]: g')).toEqual(['b c', 'd · e', 'f']);
});

test('what stands below a picture is no paragraph, in Markdown and in HTML', () => {
  const html = '<figure><img src="/a.png"><figcaption>b</figcaption></figure>';
  expect(plainParagraphs(`![a](/a.png "b")\n\nc\n\n${html}`)).toEqual(['c']);
});
