import type { DeliveryError } from '../../shared/contract/features/webhooks.ts';
import type { SendResult } from '../../shared/webhooks/index.ts';
import type { Attempt } from './claim.ts';

/** How one attempt ended, and what that makes of its delivery. */
export interface AttemptOutcome extends Attempt {
  /** `given_back`: the attempt counts as never begun, and is made again. */
  status: 'delivered' | 'retrying' | 'failed' | 'given_back';
  last_status_code: number | null;
  duration_ms: number;
  /** Null when it was acknowledged or given back, and when nothing could be sent, which is no failure of the receiver's. */
  error: DeliveryError | null;
  /** Seconds until the next attempt that it brings about; null when there is none. */
  retry_in: number | null;
}

/** What became of an attempt. `result` is null when nothing could be sent: the delivery waits like after a failure. */
export function outcomeOf(
  attempt: Attempt,
  result: SendResult | null,
  retrySeconds: readonly number[],
): AttemptOutcome {
  if (result && !result.ok && result.stoodStill) return givenBack(attempt);
  const own = {
    ...attemptOf(attempt),
    last_status_code: result?.statusCode ?? null,
    duration_ms: result?.durationMs ?? 0,
  };
  if (result?.ok) return { ...own, status: 'delivered', error: null, retry_in: null };
  const retry_in = retryDelay(attempt.scheduled, retrySeconds);
  const status = retry_in === null ? 'failed' : 'retrying';
  return { ...own, status, error: result?.error ?? null, retry_in };
}

/** Of an attempt that can't be judged, since this process stood still: its delivery is due again at once. */
export const givenBack = (attempt: Attempt): AttemptOutcome => ({
  ...attemptOf(attempt),
  status: 'given_back',
  last_status_code: null,
  duration_ms: 0,
  error: null,
  retry_in: null,
});

/** Seconds to wait after the scheduled attempt of that number, the first being 1; null when it was the last. */
const retryDelay = (scheduled: number | null, retrySeconds: readonly number[]): number | null =>
  scheduled === null ? null : (retrySeconds[scheduled - 1] ?? null);

/** Without what it sent, which may be large. */
const attemptOf = ({ site_id, subscription_id, id, attempt, scheduled, lease_until, began }: Attempt) => ({
  site_id,
  subscription_id,
  id,
  attempt,
  scheduled,
  lease_until,
  began,
});
