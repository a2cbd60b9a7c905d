import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision } from '../rate-limiter.ts';
import { tightest } from './count.ts';
import { type Bucket, bucketRule } from './rules.ts';

const normal: Bucket = { perMinute: 60, burst: 10 };
const start = Date.parse('2026-01-31T09:05:00.123Z');

function takeAt(bucket: Bucket, timestamps: number[]) {
  const rule = bucketRule(bucket);
  let fullAt = rule.empty;
  return timestamps.map((nowMs) => {
    const { verdict, state } = rule.take(fullAt, nowMs);
    fullAt = state;
    return { ...verdict, fullAt };
  });
}

test('a full bucket allows its burst immediately, and no more', () => {
  const decisions = takeAt(
    normal,
    Array.from({ length: 12 }, () => start),
  );
  expect(decisions.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false, false]);
  expect(decisions.map(({ remaining }) => remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0]);
});

test('a refused request takes no token from the bucket, and its verdict has the wait in milliseconds', () => {
  const [last, ...refused] = takeAt(
    normal,
    Array.from({ length: 12 }, () => start),
  ).slice(9);
  const state = { limit: 10, remaining: 0, fullAt: last?.fullAt, wholeInMs: 10_000 };
  expect(last).toEqual({ ...state, allowed: true, passesInMs: 0 });
  expect(refused).toEqual(Array(2).fill({ ...state, allowed: false, passesInMs: 1_000 }));
});

test('waiting exactly as long as required allows one request, and waiting less does not', () => {
  const burst = Array.from({ length: 10 }, () => start);
  const [refused] = takeAt(normal, [...burst, start + 250]).slice(10);
  expect(refused).toMatchObject({ allowed: false, passesInMs: 750 });
  const [early, inTime, next] = takeAt(normal, [...burst, start + 999, start + 1_000, start + 1_000]).slice(
    10,
  );
  expect([early?.allowed, inTime?.allowed, next?.allowed]).toEqual([false, true, false]);
});

test('tokens refill evenly, and a bucket never has more than its burst', () => {
  const burst = Array.from({ length: 10 }, () => start);
  expect(takeAt(normal, [...burst, start + 3_500]).at(-1)).toMatchObject({ remaining: 2 });
  expect(takeAt(normal, [...burst, start + 3_600_000]).at(-1)).toMatchObject({ remaining: 9 });
});

test('a returned token can be taken again', () => {
  const rule = bucketRule(normal);
  const { state } = rule.take(rule.empty, start);
  expect(rule.take(rule.refund(state), start).verdict.remaining).toBe(9);
});

/** Creates a bucket of counted tokens with exact fractions: 1 token is 60,000 parts, and 1 ms adds `perMinute` of them. */
function createModel({ perMinute, burst }: Bucket) {
  const full = BigInt(burst) * 60_000n;
  let parts = full;
  let lastMs = start;
  return (nowMs: number) => {
    const refilled = parts + BigInt(nowMs - lastMs) * BigInt(perMinute);
    parts = refilled > full ? full : refilled;
    lastMs = nowMs;
    const allowed = parts >= 60_000n;
    if (allowed) parts -= 60_000n;
    return { allowed, remaining: Number(parts / 60_000n) };
  };
}

test('the rate limiter decides like a bucket whose tokens are counted one by one, for any size and any times', () => {
  const buckets = fc.record({
    perMinute: fc.integer({ min: 1, max: 6_000 }),
    burst: fc.integer({ min: 1, max: 200 }),
  });
  const pauses = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 200_000 })),
    {
      minLength: 1,
      maxLength: 300,
    },
  );
  fc.assert(
    fc.property(buckets, pauses, (bucket, gaps) => {
      let nowMs = start;
      const timestamps = gaps.map((gap) => (nowMs += gap));
      const model = createModel(bucket);
      const expected = timestamps.map(model);
      expect(takeAt(bucket, timestamps).map(({ allowed, remaining }) => ({ allowed, remaining }))).toEqual(
        expected,
      );
    }),
    { numRuns: 300 },
  );
});

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

test('if none have requests remaining, the tightest is the refusal with the longest wait', () => {
  const refused = decision(0, { allowed: false, retryAfter: 3 });
  const longer = decision(0, { allowed: false, retryAfter: 12 });
  expect(tightest([decision(0), refused])).toBe(refused);
  expect(tightest([longer, refused, decision(0)])).toBe(longer);
});

test('there is no tightest decision if every tier is off', () => {
  expect(tightest([])).toBeUndefined();
});
