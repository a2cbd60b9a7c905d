import { expect, test } from 'vitest';
import { dateTime, list, money, partialDate, quantity, slug, sortOrder, url } from './fields.ts';
import { DateTime, parseDateTime } from './timestamps.ts';

const timestamps: Record<string, string> = {
  '2026-01-31T09:05:00Z': '2026-01-31T09:05:00.000Z',
  '2026-01-31 09:05:00.123Z': '2026-01-31T09:05:00.123Z',
  '2026-01-31t09:05:00z': '2026-01-31T09:05:00.000Z',
  '2026-01-31T09:05:00.1Z': '2026-01-31T09:05:00.100Z',
  '2026-01-31T09:05:00.123456789Z': '2026-01-31T09:05:00.123Z',
  '2026-01-31T09:05:00.999999Z': '2026-01-31T09:05:00.999Z',
  '2026-01-31T09:05:00+02:00': '2026-01-31T07:05:00.000Z',
  '2026-01-31T09:05:00-09:30': '2026-01-31T18:35:00.000Z',
  '2026-01-31T09:05:00-00:00': '2026-01-31T09:05:00.000Z',
  '2026-01-31T09:05:00+23:59': '2026-01-30T09:06:00.000Z',
  '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
  '2000-02-29T23:59:59Z': '2000-02-29T23:59:59.000Z',
  '2016-12-31T23:59:60Z': '2017-01-01T00:00:00.000Z',
  '2016-12-31T15:59:60-08:00': '2017-01-01T00:00:00.000Z',
  '2015-06-30T23:59:60.5Z': '2015-07-01T00:00:00.500Z',
  '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
};

test.for(Object.entries(timestamps))('%s is a date-time', ([text, iso]) => {
  expect(parseDateTime(text)?.toISOString()).toBe(iso);
});

test.for([
  '',
  'now',
  '2026',
  '2026-01-31',
  '2026-01-31T09:05Z',
  '2026-01-31T09:05:00',
  '2026-01-31  09:05:00Z',
  '2026-01-31_09:05:00Z',
  ' 2026-01-31T09:05:00Z',
  '2026-01-31T09:05:00Z\n',
  '2026-01-31T09:05:00.Z',
  '2026-01-31T09:05:00,5Z',
  '2026-01-31T09:05:00+02',
  '2026-01-31T09:05:00+0200',
  '2026-01-31T09:05:00+24:00',
  '2026-01-31T09:05:00+02:60',
  '2026-01-31T9:05:00Z',
  '26-01-31T09:05:00Z',
  '+002026-01-31T09:05:00Z',
  '-000001-01-31T09:05:00Z',
  '12026-01-31T09:05:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-32T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T09:60:00Z',
  '2026-01-31T09:05:61Z',
  '2026-01-31T09:05:60Z',
  '2026-01-30T23:59:60Z',
  '2026-02-28T23:59:60+01:00',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  'Sat, 31 Jan 2026 09:05:00 GMT',
  '1769850300000',
  '２０２６-01-31T09:05:00Z',
])('"%s" is not a date-time', (text) => {
  expect(parseDateTime(text)).toBeNull();
});

test('a Date is accepted as a date-time if its year is from 1 to 9999', () => {
  const taken = (timestamp: Date) => DateTime.safeParse(timestamp).success;
  expect(taken(new Date('2026-01-31T09:05:00Z'))).toBe(true);
  expect(taken(new Date(Number.NaN))).toBe(false);
  expect(taken(new Date('+010000-01-01T00:00:00Z'))).toBe(false);
  expect(taken(new Date('-000001-12-31T23:59:59Z'))).toBe(false);
});

const takenBy = (field: { input: { safeParse(value: unknown): { success: boolean } } }) => (value: unknown) =>
  field.input.safeParse(value).success;

test.for([
  '2026',
  '0000',
  '9999',
  '2026-01',
  '2026-12',
  '2026-01-31',
  '2024-02-29',
  '2026-01-31T09:05:00Z',
  '2026-01-31 09:05:00.123Z',
  '2026-01-31T09:05:00+02:00',
])('%s is a partial date', (text) => {
  expect(takenBy(partialDate('', ''))(text)).toBe(true);
});

test.for([
  '',
  ' 2026',
  '2026 ',
  '2026\n',
  '202',
  '20260',
  '26',
  '-2026',
  '2026-1',
  '2026-00',
  '2026-13',
  '2026-1-1',
  '2026-02-30',
  '2023-02-29',
  '1900-02-29',
  '2026-04-31',
  '2026-01-31T09:05',
  '2026-01-31T25:00:00Z',
  '2026/01/31',
  '31.01.2026',
  'January 2026',
  'present',
  '２０２６',
])('"%s" is not a partial date', (text) => {
  expect(takenBy(partialDate('', ''))(text)).toBe(false);
});

test.for([
  '',
  'https://example.com',
  'http://example.com',
  'HTTPS://Example.COM/Path',
  'https://example.com:8443/a/b?c=d&e=f#g',
  'https://user:password@example.com/',
  'https://[2001:db8::1]/',
  'http://localhost:3000',
  'https://bücher.example/straße?q=漢字',
  `https://example.com/${'a'.repeat(1_980)}`,
])('"%s" is accepted as a URL', (text) => {
  expect(takenBy(url('', ''))(text)).toBe(true);
});

test.for([
  'example.com',
  '//example.com',
  '/path',
  'https://',
  'https:///path',
  'https:example.com',
  'https:/example.com',
  'https:\\\\example.com',
  'ftp://example.com',
  'javascript:alert(1)',
  'data:text/html,hello',
  'mailto:ada@example.com',
  ' https://example.com',
  'https://example.com ',
  'https://example.com/a b',
  'https://example.com/\n',
  'https://exa\tmple.com',
  'https://example.com:99999',
  'https://exa%mple.com',
  `https://example.com/${'a'.repeat(1_981)}`,
])('"%s" is not a URL', (text) => {
  expect(takenBy(url('', ''))(text)).toBe(false);
});

test.for(['', 'a', '0', '2026', 'hello-world', 'a-1-b-2', 'a'.repeat(200)])(
  '"%s" is accepted as a slug',
  (text) => {
    expect(takenBy(slug(''))(text)).toBe(true);
  },
);

test.for(['-', '-a', 'a-', 'a--b', 'A', 'a b', 'a_b', 'a/b', 'a.b', 'é', 'a\n', 'a'.repeat(201)])(
  '"%s" is not a slug',
  (text) => {
    expect(takenBy(slug(''))(text)).toBe(false);
  },
);

test('money has at most two decimals and is never below zero', () => {
  const taken = takenBy(money('', 0));
  for (const amount of [0, 1, 0.1, 0.01, 0.29, 1.1, 19.99, 49.5, 1_000_000.07, 9_007_199_254_740_991]) {
    expect([amount, taken(amount)]).toEqual([amount, true]);
  }
  for (const amount of [-0.01, -1, 0.001, 0.005, 1.999, 0.1 + 0.2, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect([amount, taken(amount)]).toEqual([amount, false]);
  }
});

test('a quantity is any number of at least zero', () => {
  const taken = takenBy(quantity('', 0));
  for (const amount of [0, 0.1 + 0.2, 1 / 3, 6.5, 1e-7, 1e21])
    expect([amount, taken(amount)]).toEqual([amount, true]);
  for (const amount of [-0.1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect([amount, taken(amount)]).toEqual([amount, false]);
  }
});

test('a sort order is an integer of 32 bits', () => {
  const taken = takenBy(sortOrder);
  for (const position of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)])
    expect([position, taken(position)]).toEqual([position, true]);
  for (const position of [0.5, 2 ** 31, -(2 ** 31) - 1, Number.NaN])
    expect([position, taken(position)]).toEqual([position, false]);
});

test('a list has at most 100 texts of at most 200 UTF-16 units', () => {
  const taken = takenBy(list('', []));
  expect(taken(Array.from({ length: 100 }, () => '🎉'.repeat(100)))).toBe(true);
  expect(taken(Array.from({ length: 101 }, () => 'a'))).toBe(false);
  expect(taken([`${'🎉'.repeat(100)}a`])).toBe(false);
});

test('the schema of a date-time in a body keeps its text, including its UTC offset', () => {
  const { input } = dateTime('');
  expect(input.parse('2026-01-31T09:05:00+02:00')).toBe('2026-01-31T09:05:00+02:00');
});
