import { expect, test } from 'vitest';
import { findOffenses, findSubjectOffenses } from './english/check.ts';
import { readCode } from './english/read-texts.ts';

const textsOf = (file: string, code: string) => readCode(file, code).map(({ text }) => text);

test('comments, strings and templates are read as sentences, without code', () => {
  const code = [
    '// A comment on',
    '// two lines.',
    "const message = 'the file is ' + 'too large';",
    'const other = `the file has $' + '{size} bytes`;',
    'const query = sql`select id from posts where id = 5`;',
    "const path = 'server/main.ts';",
    '/** A doc comment with `code` in it. */',
  ].join('\n');
  expect(textsOf('server/main.ts', code)).toEqual([
    'A comment on two lines.',
    'A doc comment with x in it.',
    'the file is too large',
    'the file has x bytes',
  ]);
});

test('every string of the studio is read, however short, and only titles of tests', () => {
  expect(textsOf('client/studio/strings/site.ts', "export const site = { save: 'Save' };")).toEqual(['Save']);
  const code = "test.each(rows)('a title of %s', () => expect(body).toBe('some other words here'));";
  expect(textsOf('test/a.test.ts', code)).toEqual(['a title of %s']);
});

test('constructions that are hard to understand are found by kind of text', () => {
  expect(findOffenses('comments', 'What lists can be filtered by')).toHaveLength(1);
  expect(findOffenses('comments', 'Query options of a list')).toEqual([]);
  expect(findOffenses('strings', 'the media store is away')).toHaveLength(1);
});

test.each([
  ['fix(studio): hide the form while the page reloads', 0],
  ['Hide the form while the page reloads', 1],
  ['fix(studio): notify owners, whose keys are gone for good', 1],
  [`fix(studio): ${'reload the page '.repeat(5)}`, 1],
])('the subject "%s" has %i offenses', (subject, count) => {
  expect(findSubjectOffenses(subject)).toHaveLength(count);
});
