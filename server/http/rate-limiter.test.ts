import { expect, test } from 'vitest';
import { tightest, type Verdict } from './rate-limiter.ts';

const verdict = (remaining: number, more: Partial<Verdict> = {}): Verdict => ({
  allowed: true,
  limit: 10,
  remaining,
  resetAt: 0,
  retryAfter: 0,
  ...more,
});

test('the tightest verdict is the one with the fewest remaining', () => {
  expect(tightest([verdict(5), verdict(2, { limit: 20 }), verdict(9)])).toEqual(verdict(2, { limit: 20 }));
});

test('of two with none remaining it is the one that refused, with the longest wait', () => {
  const refused = verdict(0, { allowed: false, retryAfter: 3 });
  const longer = verdict(0, { allowed: false, retryAfter: 12 });
  expect(tightest([verdict(0), refused])).toBe(refused);
  expect(tightest([longer, refused, verdict(0)])).toBe(longer);
});

test('there is none when every tier is off', () => {
  expect(tightest([])).toBeUndefined();
});
