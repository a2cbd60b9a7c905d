import { expect, test } from 'vitest';
import { nextDelaySeconds } from './retry-schedule.ts';

const spec = [60, 300, 1800, 7200, 43200];

test('six attempts in all: 1 min, 5 min, 30 min, 2 h, 12 h after one another, then none', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((made) => nextDelaySeconds(made, spec))).toEqual([...spec, null, null]);
});

test('an empty schedule means a single attempt', () => {
  expect(nextDelaySeconds(1, [])).toBeNull();
});

test('a delay of zero is a delay, not the end', () => {
  expect(nextDelaySeconds(1, [0])).toBe(0);
});
