import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import type { AttemptOutcome } from './outcome.ts';

/** Failures in a row of one subscription, told by when their attempts began. */
export interface Failures {
  /** Begin of the latest-begun attempt that was acknowledged, in microseconds since 1970; 0 before the first. */
  acknowledged_began: number;
  /** Begins of the failed attempts that began after it, in the same unit. */
  failed_began: readonly number[];
}

/**
 * The failures in a row after these outcomes. They count in the order in which attempts began, not in that in which
 * they ended: an attempt that hangs and fails late stands before all that began and were acknowledged meanwhile, so a
 * receiver that now and then leaves one hanging is not taken for dead. Attempts that were asked for by hand count neither
 * for nor against it.
 */
export function countFailures(before: Failures, outcomes: readonly AttemptOutcome[]): Failures {
  const counted = outcomes.filter(({ scheduled }) => scheduled !== null);
  const acknowledged = counted.filter(({ status }) => status === 'delivered').map(({ began }) => began);
  const acknowledged_began = Math.max(before.acknowledged_began, ...acknowledged);
  const failed = counted.filter(isReceiversFailure).map(({ began }) => began);
  const failed_began = [...before.failed_began, ...failed].filter((began) => began > acknowledged_began);
  return { acknowledged_began, failed_began };
}

/** Whether a row of failures has just grown so long that the owner is told. */
export const isWorthNotifying = (before: Failures, after: Failures) =>
  before.failed_began.length < webhooks.failuresToNotify &&
  after.failed_began.length >= webhooks.failuresToNotify;

/** Whether that many failures in a row switch a subscription off. */
export const shouldSwitchOff = ({ failed_began }: Failures) =>
  failed_began.length >= webhooks.failuresToDisable;

/** What can't be sent because of this service is held against no receiver. */
const isReceiversFailure = ({ status, error }: AttemptOutcome) =>
  (status === 'retrying' || status === 'failed') && error !== null && error !== 'secret_unreadable';
