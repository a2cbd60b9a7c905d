import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTimeZone, offsetsIn, timeAt, timesAt } from './time-zone.ts';

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')];
const clocks = new Map(zones.map((zone) => [zone, offsetsIn(zone)]));
const [first, last] = [Date.UTC(1972, 0, 8), Date.UTC(2037, 11, 1)];
const minuteMs = 60_000;

const iso = (time: number) => new Date(time).toISOString();
const at = (zone: string, local: string) => iso(timeAt(Date.parse(`${local}Z`), offsetsIn(zone)));

/** Local time of `time` from the language's own formatter, which is independent of the offsets. */
const shownBy = (zone: string, time: number) =>
  new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    .format(time)
    .replace(' ', 'T');

test('every time converts to the local time that Intl shows, and back to the same time or the earlier of two', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...clocks),
      fc.integer({ min: first / minuteMs, max: last / minuteMs }),
      ([zone, offsetAt], minute) => {
        const time = minute * minuteMs;
        const local = time + offsetAt(time);
        expect(iso(local).slice(0, 19)).toBe(shownBy(zone, time));
        expect(timesAt(local, offsetAt)).toContain(time);
        expect(timeAt(local, offsetAt)).toBe(timesAt(local, offsetAt)[0]);
        expect(timeAt(local, offsetAt)).toBeLessThanOrEqual(time);
      },
    ),
    { numRuns: 3_000 },
  );
});

test('every local time converts to a time that shows it, or to one that is later by the gap that skips it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...clocks),
      fc.integer({ min: first / minuteMs, max: last / minuteMs }),
      ([, offsetAt], minute) => {
        const local = minute * minuteMs;
        const time = timeAt(local, offsetAt);
        const later = time + offsetAt(time) - local;
        if (timesAt(local, offsetAt).length > 0) expect(later).toBe(0);
        else expect(later).toBe(offsetAt(time) - offsetAt(time - later));
        expect(later).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 3_000 },
  );
});

test.for([
  // Clocks move forward at 2:00: half past two does not exist.
  ['America/New_York', '2026-03-08T01:59', '2026-03-08T06:59:00.000Z'],
  ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
  ['America/New_York', '2026-03-08T03:30', '2026-03-08T07:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T02:00', '2026-03-29T01:00:00.000Z'],
  // The gap of Lord Howe Island is half an hour.
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
  // Days that begin at 1:00.
  ['America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T03:00:00.000Z'],
  ['Asia/Beirut', '2026-03-29T00:00', '2026-03-28T22:00:00.000Z'],
  // Samoa has no December 30, 2011.
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000Z'],
  // Clocks move back: half past one comes twice, first in summer time.
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['Europe/Dublin', '2026-10-25T01:30', '2026-10-25T00:30:00.000Z'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
  // Offsets that are not whole hours, and both sides of the date line.
  ['Asia/Kathmandu', '2026-07-12T23:30', '2026-07-12T17:45:00.000Z'],
  ['Pacific/Kiritimati', '2026-07-12T00:30', '2026-07-11T10:30:00.000Z'],
  ['Pacific/Pago_Pago', '2026-07-12T23:30', '2026-07-13T10:30:00.000Z'],
  ['UTC', '2026-07-12T23:30', '2026-07-12T23:30:00.000Z'],
] as const)('in %s, %s is %s', ([zone, local, time]) => expect(at(zone, local)).toBe(time));

test('all zones that Intl lists, and their aliases, count as IANA names', () => {
  expect(zones.filter((zone) => !isTimeZone(zone))).toEqual([]);
  for (const alias of [
    'Asia/Kolkata',
    'America/Nuuk',
    'Europe/Kyiv',
    'US/Eastern',
    'EST5EDT',
    'Etc/GMT-14',
    'NZ',
  ])
    expect([alias, isTimeZone(alias)]).toEqual([alias, true]);
});
