import { expect, test } from 'vitest';
import { readFrontMatter } from './front-matter.ts';

const read = (text: string) => {
  const { matter, ...rest } = readFrontMatter(text);
  return matter ? { ...rest, matter: Object.fromEntries(matter) } : rest;
};

test.for([
  ['YAML', '---\ndraft: true\n---\nText\n'],
  ['YAML with Windows’ line ends', '---\r\ndraft: true\r\n---\r\nText\n'],
  ['YAML after blank lines', '\n \n---\ndraft: true\n---\nText\n'],
  ['YAML closed by dots', '---\ndraft: true\n...\nText\n'],
  ['YAML with names in another case', '---\nDraft: true\n---\nText\n'],
  ['YAML that is named', '---yaml\ndraft: true\n---\nText\n'],
  ['TOML', '+++\ndraft = true\n+++\nText\n'],
  ['JSON', '{\n  "draft": true\n}\nText\n'],
  ['JSON that is named', '---json\n{"draft": true}\n---\nText\n'],
] as const)('front matter in %s is separated from the text', ([, file]) => {
  expect(read(file)).toEqual({ matter: { draft: true }, body: expect.stringMatching(/^\n?Text\n$/) });
});

test.for([
  ['no front matter', 'Text\n\n---\n\ndraft: true\n\n---\n'],
  ['a tag of Liquid', '{% include head.html %}\nText'],
  ['a shortcode of Hugo', '{{< figure src="a.png" >}}\nText'],
  ['a longer line', '-----\nText\n-----\n'],
  ['nothing', ''],
] as const)('a text that begins with %s has no front matter', ([, file]) => {
  expect(read(file)).toEqual({ matter: {}, body: file });
});

test.for([
  ['a list without an end', '---\ntitle: [not closed\n---\nText\n', /^its front matter cannot be read: /],
  ['no end', '---\ndraft: true\n\nText\n', 'its front matter has no closing line'],
  [
    'a name twice',
    '---\ndraft: true\ndraft: false\n---\n',
    'its front matter cannot be read: a field name occurs twice',
  ],
  [
    'a name twice in two cases',
    '---\ndraft: true\nDraft: false\n---\n',
    'its front matter contains the field draft twice',
  ],
  ['a text', '---\nOnly a text.\n---\n', 'its front matter does not consist of field names and values'],
  ['a list', '---\n- a\n---\n', 'its front matter does not consist of field names and values'],
  ['a program', '---js\n{draft: true}\n---\nText', 'its front matter has an unknown format: js'],
  ['broken TOML', '+++\ndraft = yes\n+++\nText', /^its front matter cannot be read: /],
  ['TOML without an end', '+++\ndraft = true\n', 'its front matter has no closing line'],
  ['broken JSON', '{\n"draft": true,\n}\nText', /^its front matter cannot be read: /],
  ['JSON without an end', '{\n"draft": true\nText', 'its front matter has no closing bracket'],
  ['too much', `---\na: ${'x'.repeat(70_000)}\n---\n`, 'its front matter is longer than 64 KB'],
  ['too many brackets', `---\n${'['.repeat(60_000)}\n---\n`, /^its front matter cannot be read: /],
  [
    'aliases that grow',
    `---\na: &a [x,x]\nb: &b [${'*a,'.repeat(50)}]\nc: [${'*b,'.repeat(50)}]\n---\n`,
    /^its front matter cannot be read: /,
  ],
] as const)('front matter with %s is a problem, and the whole file stays as text', ([, file, why]) => {
  expect(read(file)).toEqual({
    body: file,
    problem: typeof why === 'string' ? why : expect.stringMatching(why),
  });
});
