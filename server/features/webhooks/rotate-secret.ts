import { rotationOverlapHours } from '../../../shared/contract/limits.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { secretOwner } from '../../../shared/webhooks/deliver.ts';
import { generateWebhookSecret } from '../../../shared/webhooks/webhook-secret.ts';
import type { Deps } from '../../kernel/deps.ts';
import { changeLocked } from './subscriptions.ts';

/**
 * Gives a subscription a new secret, shown here and never again; the one before signs along for a day. A second rotation
 * ends the oldest. Throws `not_found`.
 */
export async function rotateSecret(deps: Deps, siteId: string, id: string) {
  const now = new Timestamp(deps.clock.now());
  const previous_secret_expires_at = new Timestamp(now.getTime() + rotationOverlapHours * 3_600_000);
  const secret = generateWebhookSecret(deps.randomBytes);
  await changeLocked(deps, { site_id: siteId, subscription_id: id }, (db, { secret_sealed }) =>
    db
      .updateTable('webhook_subscriptions')
      .set({
        secret_sealed: deps.secrets.seal(secret, secretOwner(siteId, id)),
        previous_secret_sealed: secret_sealed,
        previous_secret_expires_at,
        updated: now,
      })
      .where('site_id', '=', siteId)
      .where('id', '=', id)
      .execute(),
  );
  return { secret, previous_secret_expires_at };
}
