import { expect, test } from 'vitest';
import type { Decision } from '../kernel/rate-limiter.ts';
import { tightest } from './count.ts';

const decision = (remaining: number, more: Partial<Decision> = {}): Decision => ({
  allowed: true,
  limit: 10,
  remaining,
  resetAt: 0,
  retryAfter: 0,
  ...more,
});

test('the tightest decision is the one with the fewest remaining', () => {
  expect(tightest([decision(5), decision(2, { limit: 20 }), decision(9)])).toEqual(
    decision(2, { limit: 20 }),
  );
});

test('of two with none remaining it is the one that refused, with the longest wait', () => {
  const refused = decision(0, { allowed: false, retryAfter: 3 });
  const longer = decision(0, { allowed: false, retryAfter: 12 });
  expect(tightest([decision(0), refused])).toBe(refused);
  expect(tightest([longer, refused, decision(0)])).toBe(longer);
});

test('there is none when every tier is off', () => {
  expect(tightest([])).toBeUndefined();
});
