import { expect, test } from 'vitest';
import { retryDelaysSeconds } from '../../shared/contract/limits.ts';
import { outcomeOf } from './outcome.ts';

const attempt = (number: number) => ({
  site_id: 's',
  subscription_id: 'w',
  id: 'd',
  attempt: number,
  scheduled: number,
  lease_until: new Date(),
  began: 1,
});
const refused = { ok: false, statusCode: 500, error: 'http_status', durationMs: 1 } as const;

const afterFailure = (number: number, delays: readonly number[]) => {
  const { status, retry_in } = outcomeOf(attempt(number), refused, delays);
  return [status, retry_in];
};

test('a delivery is retried five times, after 1 min, 5 min, 30 min, 2 h and 12 h, and then fails', () => {
  expect([1, 2, 3, 4, 5, 6].map((number) => afterFailure(number, retryDelaysSeconds))).toEqual([
    ['retrying', 60],
    ['retrying', 300],
    ['retrying', 1_800],
    ['retrying', 7_200],
    ['retrying', 43_200],
    ['failed', null],
  ]);
});

test('without retry delays a delivery has a single attempt, and a delay of zero adds one', () => {
  expect(afterFailure(1, [])).toEqual(['failed', null]);
  expect(afterFailure(1, [0])).toEqual(['retrying', 0]);
});

test('a failure of an attempt whose process stalled is given back and does not count against the receiver', () => {
  const timeout = { ok: false, statusCode: null, error: 'timeout', durationMs: 1, stoodStill: true } as const;
  expect(outcomeOf(attempt(6), timeout, retryDelaysSeconds)).toEqual({
    ...attempt(6),
    lease_until: expect.any(Date),
    status: 'given_back',
    last_status_code: null,
    duration_ms: 0,
    error: null,
    retry_in: null,
  });
});
