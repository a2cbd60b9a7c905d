import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { partialDate } from '../../shared/contract/fields.ts';
import { parseDateTime } from '../../shared/contract/timestamps.ts';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const { input } = partialDate('A date', '2026');

/** All forms of partial dates, including complete dates with and without seconds, fractions and offsets. */
const given = fc
  .tuple(
    fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
    fc.constantFrom(4, 7, 10, 16, 19, 23),
    fc.constantFrom('T', ' ', 't'),
    fc.constantFrom('Z', 'z', '+05:30', '-23:59', '+23:59', '-00:00'),
  )
  .map(([date, length, blank, offset]) => {
    const text = date.toISOString().replace('T', blank).slice(0, length);
    return length > 10 ? text + offset : text;
  })
  .filter((text) => input.safeParse(text).success);

/** Returns the first instant of a partial date, in ms since the epoch. */
const beginningOf = (text: string) =>
  text.length > 10 ? (parseDateTime(text)?.getTime() ?? Number.NaN) : new Date(text).getTime();

test('partial dates are compared by their first instant, in any stored or requested form', async () => {
  const dates = [
    ...fc.sample(given, { numRuns: 300, seed: 7 }),
    ...['0000', '0001', '9999', '2016-12-31T23:59:60Z', '2020-02-29', '2021-03-05T10:00Z'],
  ].filter((text) => input.safeParse(text).success);
  const { rows } = await sql<{ date: string; at: Date | null }>`
    select date, nullif(date_beginning(date), '-infinity') as at from unnest(${dates}::text[]) as date`.execute(
    app.deps.database.em.getKysely(),
  );
  expect(rows).toHaveLength(dates.length);
  for (const { date, at } of rows)
    expect([date, at?.getTime() ?? beginningOf('0000')]).toEqual([date, beginningOf(date)]);
});

test('a filter on a partial date uses its first instant: a year is not before its first day, and before its second', async () => {
  const key = await app.seed.key();
  const talks = recordsOf(app, 'talks', key);
  const dates = [
    '2024',
    '2024-01',
    '2024-01-01',
    '2024-01-01T00:30:00+01:00',
    '2024-02',
    '2023-12-31',
    '0000',
  ];
  for (const date of dates) await talks.add({ title: date, date });
  await talks.add({ title: 'Unset' });
  const titles = async (query: string) => (await talks.list(query)).map(({ title }) => title).toSorted();
  expect(await titles('date_from=2024')).toEqual(['2024', '2024-01', '2024-01-01', '2024-02']);
  expect(await titles('date_before=2024-01-02&date_from=2024-01-01')).toEqual([
    '2024',
    '2024-01',
    '2024-01-01',
  ]);
  expect(await titles('date_before=2024')).toEqual(['0000', '2023-12-31', '2024-01-01T00:30:00+01:00']);
  expect(await titles('date_before=0001')).toEqual(['0000']);
  expect(await titles('date_from=2023-12-31T23:30:00Z&date_before=2024')).toEqual([
    '2024-01-01T00:30:00+01:00',
  ]);
});
