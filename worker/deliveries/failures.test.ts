import { expect, test } from 'vitest';
import type { AttemptOutcome } from './outcome.ts';
import { countFailures, type Failures, shouldSwitchOff } from './settle-deliveries.ts';

const none: Failures = { acknowledged_began: 0, failed_began: [] };

function outcome(
  began: number,
  status: AttemptOutcome['status'],
  error: AttemptOutcome['error'] = null,
): AttemptOutcome {
  const delivery = {
    site_id: 's',
    subscription_id: 'w',
    id: `d${began}`,
    attempt: 1,
    scheduled: 1,
    lease_until: new Date(),
  };
  return { ...delivery, began, status, last_status_code: null, duration_ms: 1, error, retry_in: null };
}

const acknowledged = (began: number) => outcome(began, 'delivered');
const failed = (began: number) => outcome(began, 'retrying', 'timeout');

/** Returns the number of failures in a row after outcomes that arrive one by one. */
const after = (outcomes: readonly AttemptOutcome[]) =>
  outcomes.reduce((failures, next) => countFailures(failures, [next]), none);

test('ten failures in a row deactivate a subscription, nine do not', () => {
  const rows = Array.from({ length: 10 }, (_, n) => failed(n + 1));
  expect(shouldSwitchOff(after(rows))).toBe(true);
  expect(shouldSwitchOff(after(rows.slice(1)))).toBe(false);
});

test('an acknowledgement ends the series of failures that started before it', () => {
  expect(after([failed(1), failed(2), acknowledged(3)]).failed_began).toEqual([]);
});

test('a late failure counts at the time when its attempt started', () => {
  expect(after([acknowledged(2), failed(1)]).failed_began).toEqual([]);
  expect(after([failed(3), acknowledged(2), failed(1)]).failed_began).toEqual([3]);
});

test('a late acknowledgement does not end failures that started after it', () => {
  expect(after([failed(2), failed(3), acknowledged(1)]).failed_began).toEqual([2, 3]);
});

test('outcomes of one batch count like those that arrive one by one, in any order', () => {
  const outcomes = [failed(4), acknowledged(3), failed(1), failed(5), acknowledged(2)];
  const expected = { acknowledged_began: 3, failed_began: [4, 5] };
  expect(countFailures(none, outcomes)).toEqual(expected);
  const reversed = after(outcomes.toReversed());
  expect({ ...reversed, failed_began: reversed.failed_began.toSorted() }).toEqual(expected);
});

test('attempts that were given back, or could not be sent or signed, do not count as failures of a subscription', () => {
  const outcomes = [
    outcome(1, 'given_back'),
    outcome(2, 'retrying'),
    outcome(3, 'failed', 'secret_unreadable'),
  ];
  expect(after(outcomes)).toEqual(none);
});
