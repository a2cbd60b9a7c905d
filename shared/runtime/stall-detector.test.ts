import { expect, test } from 'vitest';
import { detectStalls } from './stall-detector.ts';

function start() {
  const now = { sinceStart: 0, wall: 1_700_000_000_000 };
  const watch = detectStalls({ sinceStart: () => now.sinceStart, wall: () => now.wall });
  return {
    ...watch,
    pass(ms: number, wallMs = ms) {
      now.sinceStart += ms;
      now.wall += wallMs;
    },
    [Symbol.dispose]: watch.stop,
  };
}

test('time that passes in small steps does not count as a stall', () => {
  using watch = start();
  const mark = watch.mark();
  for (let n = 0; n < 100; n++) {
    watch.pass(1_000);
    expect(watch.hasStalledSince(mark)).toBe(false);
  }
});

test.each([
  ['a process that was stopped', 2_000, 2_000],
  ['a machine that slept, whose even clock slept too', 1, 2_000],
])('%s counts as stalled for work that began before', (_, ms, wallMs) => {
  using watch = start();
  const before = watch.mark();
  watch.pass(ms, wallMs);
  expect(watch.hasStalledSince(before)).toBe(true);
  watch.pass(1);
  expect(watch.hasStalledSince(before)).toBe(true);
});

test('a stall does not count for work that begins after it', () => {
  using watch = start();
  watch.pass(5_000);
  const mark = watch.mark();
  watch.pass(100);
  expect(watch.hasStalledSince(mark)).toBe(false);
});

test('setting the wall clock back does not count as a stall', () => {
  using watch = start();
  const mark = watch.mark();
  watch.pass(10, -3_600_000);
  expect(watch.hasStalledSince(mark)).toBe(false);
});
