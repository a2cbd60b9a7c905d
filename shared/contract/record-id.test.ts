import { expect, test } from 'vitest';
import {
  base36,
  base62,
  newRecordId,
  RecordId,
  randomText,
  recordIdPattern,
  SlugAddress,
} from './record-id.ts';

const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));

const timestamp = new Date('2026-01-31T09:05:00.123Z');

test('an ID has fifteen letters and digits', () => {
  expect(newRecordId(timestamp, randomBytes)).toMatch(recordIdPattern);
  expect(newRecordId(new Date(0), randomBytes)).toMatch(recordIdPattern);
});

test('IDs sort by their creation time', () => {
  const timestamps = [
    0,
    1,
    35,
    36,
    1e6,
    1e12,
    timestamp.getTime(),
    timestamp.getTime() + 1,
    Date.parse('2059-01-01'),
  ];
  const ids = timestamps.map((time) => newRecordId(new Date(time), randomBytes));
  expect(ids).toEqual(ids.toSorted());
});

test('IDs of the same millisecond differ', () => {
  const ids = Array.from({ length: 10_000 }, () => newRecordId(timestamp, randomBytes));
  expect(new Set(ids).size).toBe(10_000);
});

test('the schemas of record IDs and slugs in addresses refuse malformed values with not_found', () => {
  for (const schema of [RecordId, SlugAddress]) {
    const { error } = schema.safeParse('A/b');
    expect(error?.issues).toMatchObject([{ code: 'custom', params: { code: 'not_found' } }]);
  }
});

test('a random text has the requested length and alphabet', () => {
  expect(randomText(base62, 43, randomBytes)).toMatch(/^[0-9A-Za-z]{43}$/);
  expect(randomText(base36, 0, randomBytes)).toBe('');
});

test('bytes beyond the last whole alphabet are discarded, so that all characters are equally likely', () => {
  const bytes = [255, 251, 36, 0, 252, 35];
  const source = (size: number) => new Uint8Array(bytes.splice(0, size));
  expect(randomText(base36, 4, source)).toBe('z00z');
});

test('a random text contains every character of its alphabet', () => {
  expect(new Set(randomText(base62, 10_000, randomBytes)).size).toBe(62);
});
