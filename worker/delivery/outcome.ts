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
  error: DeliveryError | null;
  /** Seconds until the next attempt; null when there is none. */
  retry_in: number | null;
}

type Attempt = Pick<Outcome, 'site_id' | 'subscription_id' | 'id' | 'attempt'>;

export function outcomeOf(attempt: Attempt, result: SendResult, retrySeconds: readonly number[]): Outcome {
  const { site_id, subscription_id, id } = attempt;
  const base = {
    site_id,
    subscription_id,
    id,
    attempt: attempt.attempt,
    last_status_code: result.statusCode,
  };
  if (result.ok) return { ...base, status: 'delivered', error: null, retry_in: null };
  const retry_in = nextDelaySeconds(attempt.attempt, retrySeconds);
  return { ...base, status: retry_in === null ? 'failed' : 'retrying', error: result.error, retry_in };
}

/** The failure counter of a subscription after outcomes in the order they came: an acknowledgement starts it anew. */
export function countFailures(before: number, outcomes: readonly Pick<Outcome, 'status'>[]): number {
  return outcomes.reduce((failures, { status }) => (status === 'delivered' ? 0 : failures + 1), before);
}

/** Whether that many failures in a row switch a subscription off (SPEC "Delivery" 5). */
export const isExhausted = (failures: number) => failures >= webhooks.failuresToDisable;

/** Outcomes by subscription, each in the order they came. */
export function bySubscription(outcomes: readonly Outcome[]): Map<string, Outcome[]> {
  return Map.groupBy(outcomes, keyText);
}
