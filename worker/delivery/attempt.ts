import { deliver } from '../../shared/webhooks/deliver.ts';
import type { WorkerDeps } from '../deps.ts';
import type { Claim } from './claim.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** Makes one claimed attempt. Never rejects. */
export async function makeAttempt(deps: WorkerDeps, claim: Claim): Promise<Outcome> {
  const result = await deliver(deps, { ...claim, sentAt: new Date() }).catch((error) => {
    deps.logger.error({ err: error, delivery: claim.id }, 'a delivery could not be sent');
    return null;
  });
  const unreadable = result && !result.ok && result.error === 'secret_unreadable';
  if (unreadable)
    deps.logger.error({ delivery: claim.id }, 'a webhook secret does not open: was SECRET_KEY changed?');
  return outcomeOf(claim, result, deps.retrySeconds);
}
