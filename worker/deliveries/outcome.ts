import type { DeliveryError } from '../../shared/contract/features/webhooks.ts';
import type { SendResult } from '../../shared/webhooks/index.ts';
import type { Attempt } from './claim.ts';

/** Outcome of one attempt, with its effect on the delivery. */
export interface AttemptOutcome extends Attempt {
  /** `given_back`: the attempt does not count and is made again. */
  status: 'delivered' | 'retrying' | 'failed' | 'given_back';
  last_status_code: number | null;
  duration_ms: number;
  /**
   * Null if the attempt was acknowledged or given back, or if nothing could be sent, which is not the receiver's
   * failure.
   */
  error: DeliveryError | null;
  /** Time until the next attempt in seconds; null if there is none. */
  retry_in: number | null;
}

/**
 * Returns the outcome of an attempt. `result` is null if nothing could be sent: the delivery is retried as after a
 * failure.
 */
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

/**
 * Returns the outcome of an attempt that cannot be judged, because this process stalled. Its delivery is due
 * immediately.
 */
export const givenBack = (attempt: Attempt): AttemptOutcome => ({
  ...attemptOf(attempt),
  status: 'given_back',
  last_status_code: null,
  duration_ms: 0,
  error: null,
  retry_in: null,
});

/** Returns the delay in seconds after the scheduled attempt with this number, from 1; null after the last one. */
const retryDelay = (scheduled: number | null, retrySeconds: readonly number[]): number | null =>
  scheduled === null ? null : (retrySeconds[scheduled - 1] ?? null);

/** Copies the attempt without its body, which may be large. */
const attemptOf = ({ site_id, subscription_id, id, attempt, scheduled, lease_until, began }: Attempt) => ({
  site_id,
  subscription_id,
  id,
  attempt,
  scheduled,
  lease_until,
  began,
});
