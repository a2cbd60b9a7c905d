import { webhooks } from '../../shared/contract/limits.ts';
import type { DeliveryError, DeliveryStatus } from '../../shared/contract/webhooks.ts';
import type { SendResult } from '../../shared/webhooks/send.ts';
import { nextDelaySeconds } from '../retry-schedule.ts';
import { keyText, type SubscriptionKey } from './subscription-key.ts';

/** How one attempt ended, and what that makes of its delivery. */
export interface Outcome extends SubscriptionKey {
  id: string;
  /** Its number: an outcome counts only while this is still the attempt under way. */
  attempt: number;
  status: DeliveryStatus;
  last_status_code: number | null;
  /** Null when it was acknowledged, and when nothing could be sent, which is no failure of the receiver's. */
  error: DeliveryError | null;
  /** Seconds until the next attempt; null when there is none. */
  retry_in: number | null;
}

type Attempt = Pick<Outcome, 'site_id' | 'subscription_id' | 'id' | 'attempt'>;

/** `result` is null when nothing could be sent: the delivery waits like after a failure. */
export function outcomeOf(
  { site_id, subscription_id, id, attempt }: Attempt,
  result: SendResult | null,
  retrySeconds: readonly number[],
): Outcome {
  const base = { site_id, subscription_id, id, attempt, last_status_code: result?.statusCode ?? null };
  if (result?.ok) return { ...base, status: 'delivered', error: null, retry_in: null };
  const retry_in = nextDelaySeconds(attempt, retrySeconds);
  return {
    ...base,
    status: retry_in === null ? 'failed' : 'retrying',
    error: result?.error ?? null,
    retry_in,
  };
}

type Ending = Pick<Outcome, 'status' | 'error'>;

/**
 * The failure counter of a subscription after outcomes in the order they came: an acknowledgement starts it anew,
 * unless it comes after the failure that switched the subscription off.
 */
export function countFailures(before: number, outcomes: readonly Ending[]): number {
  return outcomes.reduce((failures, { status, error }) => {
    if (isExhausted(failures)) return failures;
    if (status === 'delivered') return 0;
    return error === null ? failures : failures + 1;
  }, before);
}

/** Whether that many failures in a row switch a subscription off (SPEC "Delivery" 5). */
export const isExhausted = (failures: number) => failures >= webhooks.failuresToDisable;

/** Outcomes by subscription, each in the order they came. */
export function bySubscription(outcomes: readonly Outcome[]): Map<string, Outcome[]> {
  return Map.groupBy(outcomes, keyText);
}
