import { expect, test } from 'vitest';
import { parseTime, readTime, zonesOf } from './parse-time.ts';

test.for([
  // RFC 3339, YAML and TOML
  ['2024-01-31T10:05:00Z', '2024-01-31T10:05:00.000Z'],
  ['2024-01-31T10:05:00.123456+01:00', '2024-01-31T09:05:00.123Z'],
  ['2024-01-31 10:05:00', '2024-01-31T10:05:00.000Z'],
  ['2024-01-31T10:05', '2024-01-31T10:05:00.000Z'],
  ['2024-01-31', '2024-01-31T10:00:00.000Z'],
  ['2024-1-3', '2024-01-03T10:00:00.000Z'],
  ['2024-01-31T10:05:00+01:00[Europe/Berlin]', '2024-01-31T09:05:00.000Z'],
  // Jekyll
  ['2024-01-31 10:05:00 +0100', '2024-01-31T09:05:00.000Z'],
  ['2024-01-31 10:05:00 -05:00', '2024-01-31T15:05:00.000Z'],
  ['2024/01/31 10:05', '2024-01-31T10:05:00.000Z'],
  // Astro's example, and dates for people
  ['Jul 08 2022', '2022-07-08T10:00:00.000Z'],
  ['January 31, 2024', '2024-01-31T10:00:00.000Z'],
  ['Jan 31, 2024 at 10:05pm', '2024-01-31T22:05:00.000Z'],
  ['31 January 2024', '2024-01-31T10:00:00.000Z'],
  ['12th Sept 2024', '2024-09-12T10:00:00.000Z'],
  // RFC 2822, as in feeds
  ['Sat, 09 Mar 2024 10:00:00 +0000', '2024-03-09T10:00:00.000Z'],
  ['Sat, 09 Mar 2024 10:00:00 EST', '2024-03-09T15:00:00.000Z'],
  ['2024-01-31 12:30:00 am', '2024-01-31T00:30:00.000Z'],
  ['2024-01-31 10:05:00 UTC', '2024-01-31T10:05:00.000Z'],
  ['20240131', '2024-01-31T10:00:00.000Z'],
  ['2024-01', '2024-01-01T10:00:00.000Z'],
  [2024, '2024-01-01T10:00:00.000Z'],
  [1_706_695_500, '2024-01-31T10:05:00.000Z'],
  [1_706_695_500_000, '2024-01-31T10:05:00.000Z'],
  [new Date('2024-01-31T10:05:00Z'), '2024-01-31T10:05:00.000Z'],
] as const)('a time %s in an imported text is read as %s', ([written, timestamp]) => {
  expect(parseTime(written)?.toISOString()).toBe(timestamp);
});

test.for([
  ...['01/02/2024', '31.01.2024', '2024-02-30', '2024-13-01', '0000-00-00 00:00:00', '2024-01-31 25:00'],
  ...['2024-01-31 10:00 Europe/Berlin', '2024-01-31 10:00 XYZ', 'tomorrow', 'Last Modified', '', ' ', '-1'],
  ...[null, undefined, true, {}, [], Number.NaN, new Date(Number.NaN), 'x'.repeat(100_000)],
])('an imported value %s is not a time', (written) => {
  expect(parseTime(written)).toBeNull();
});

test.for([
  // Once on ordinary days, twice if clocks are set back, never if they are set forward.
  ['2024-07-01 12:00', ['Europe/Berlin'], ['2024-07-01T10:00', '2024-07-01T10:00']],
  ['2024-11-03 01:30', ['America/New_York'], ['2024-11-03T05:30', '2024-11-03T06:30']],
  ['2024-03-31 02:30', ['Europe/Berlin'], ['2024-03-31T00:30', '2024-03-31T01:30']],
  ['2024-07-01 12:00', ['Asia/Kathmandu', 'America/New_York'], ['2024-07-01T06:15', '2024-07-01T16:00']],
  ['2024-07-01 12:00 +02:00', ['Asia/Tokyo'], ['2024-07-01T10:00', '2024-07-01T10:00']],
  ['2024-07-01 12:00', ['Local'], ['2024-06-30T22:00', '2024-07-02T00:00']],
  ['9999-12-31 23:00', ['America/New_York', 'Local'], ['9999-12-31T09:00', '9999-12-31T23:00']],
] as const)('%s in %s is between %s', ([written, names, range]) => {
  const read = readTime(written, zonesOf(names));
  expect([read?.earliest, read?.latest].map((each) => each?.toISOString().slice(0, 16))).toEqual(range);
});

test('a day without a time is the same day in every time zone', () => {
  for (const zone of ['America/New_York', 'Asia/Tokyo', 'Local'])
    expect(readTime('2024-01-31', zonesOf([zone]))?.time.toISOString()).toBe('2024-01-31T10:00:00.000Z');
});
