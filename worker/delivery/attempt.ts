import type { Logger } from 'pino';
import type { SecretBox } from '../../shared/secret-box.ts';
import { deliver } from '../../shared/webhooks/deliver.ts';
import type { WebhookSender } from '../../shared/webhooks/send.ts';
import type { Claim } from './claim.ts';
import { type AttemptOutcome, outcomeOf } from './outcome.ts';

export interface AttemptDeps {
  logger: Logger;
  secrets: SecretBox;
  sender: WebhookSender;
  /** Delays before the second and each further attempt, in seconds. */
  retrySeconds: readonly number[];
}

/** Makes one claimed attempt. Never rejects. */
export async function makeAttempt(deps: AttemptDeps, claim: Claim): Promise<AttemptOutcome> {
  const result = await deliver(deps, { ...claim, sentAt: new Date() }).catch((error) => {
    deps.logger.error({ err: error, delivery: claim.id }, 'a delivery could not be sent');
    return null;
  });
  const unreadable = result && !result.ok && result.error === 'secret_unreadable';
  if (unreadable)
    deps.logger.error({ delivery: claim.id }, 'a webhook secret does not open: was SECRET_KEY changed?');
  return outcomeOf(claim, result, deps.retrySeconds);
}
