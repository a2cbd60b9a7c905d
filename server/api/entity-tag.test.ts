import { expect, test } from 'vitest';
import { entityTag, matches, parseIfMatch } from './entity-tag.ts';

const matched = (header: string | undefined, revision = 7) => matches(parseIfMatch(header), revision);

test('without If-Match, and with If-Match *, any revision matches', () => {
  expect([matched(undefined), matched('*'), matched(' * ')]).toEqual([true, true, true]);
});

test('an entity tag in If-Match matches by its revision alone', () => {
  for (const tag of [entityTag('abc', 7), '"7-"', '"7-other_hash"', '"1-a", "7-b"', '"x","7-b"'])
    expect([tag, matched(tag)]).toEqual([tag, true]);
  for (const tag of [entityTag('abc', 8), '"70-a"', '"1-a","2-b"'])
    expect([tag, matched(tag)]).toEqual([tag, false]);
});

test('weak tags and tags of another form in If-Match match no revision', () => {
  for (const header of [
    'W/"7-abc"',
    '7-abc',
    '"7"',
    '"07-a"',
    '"+7-a"',
    '"7-a',
    "'7-a'",
    '',
    '"*"',
    '*, "8-a"',
    '"x,7-a,y"',
  ])
    expect([header, matched(header)]).toEqual([header, false]);
});
