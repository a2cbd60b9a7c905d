import { deliveryHeaders } from '../../shared/webhooks/sign.ts';
import type { WorkerDeps } from '../deps.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Claim } from './round.ts';

/** Signs and sends one claimed attempt. */
export async function makeAttempt(
  { sender, secrets, retrySeconds }: WorkerDeps,
  claim: Claim,
): Promise<Outcome> {
  const secret = secrets.open(claim.secret_sealed, `${claim.site_id}/${claim.subscription_id}`);
  const body = Buffer.from(claim.body);
  const headers = deliveryHeaders({
    event: claim.event,
    deliveryId: claim.id,
    secret,
    body,
    sentAt: new Date(),
  });
  return outcomeOf(claim, await sender.send({ url: claim.url, headers, body }), retrySeconds);
}
