import type { SendResult } from '../../shared/webhooks/send.ts';
import { deliveryHeaders } from '../../shared/webhooks/sign.ts';
import type { WorkerDeps } from '../deps.ts';
import type { Claim } from './claim.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** Signs and sends one claimed attempt. Never rejects. */
export async function makeAttempt(deps: WorkerDeps, claim: Claim): Promise<Outcome> {
  const result = await send(deps, claim).catch((error) => {
    // Most likely SECRET_KEY has changed, which an operator can mend: the delivery waits its turn, and nobody is switched off.
    deps.logger.error({ err: error, delivery: claim.id }, 'a delivery could not be sent');
    return null;
  });
  return outcomeOf(claim, result, deps.retrySeconds);
}

async function send({ sender, secrets }: WorkerDeps, claim: Claim): Promise<SendResult> {
  const secret = secrets.open(claim.secret_sealed, `${claim.site_id}/${claim.subscription_id}`);
  const body = Buffer.from(claim.body);
  const { event, id: deliveryId, url } = claim;
  const headers = deliveryHeaders({ event, deliveryId, secret, body, sentAt: new Date() });
  return sender.send({ url, headers, body });
}
