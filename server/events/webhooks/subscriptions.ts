import type { Kysely } from 'kysely';
import type { z } from 'zod';
import {
  webhookLimits as limits,
  type RegisterWebhook,
  type UpdateWebhook,
  Webhook,
} from '../../../shared/contract/features/webhooks.ts';
import { rotationOverlapHours } from '../../../shared/contract/limits.ts';
import { namesOf, omitUndefined } from '../../../shared/contract/names-of.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { WebhookSubscription } from '../../../shared/db/entities/webhooks.ts';
import {
  cancelDeliveries,
  cancelRequested,
  type LockedSubscription,
  lockSubscriptions,
  type SubscriptionKey,
  type WebhookTables,
} from '../../../shared/db/webhook-subscriptions.ts';
import { generateWebhookSecret, secretOwner } from '../../../shared/webhooks/index.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../../api/transaction.ts';

/**
 * Creates a subscription whose URL was checked. Only this response contains its secret. Throws `validation_failed` if
 * the site has too many.
 */
export async function createSubscription(
  deps: Deps,
  { siteId, byKey }: { siteId: string; byKey: boolean },
  input: z.infer<typeof RegisterWebhook>,
) {
  const now = new Timestamp(deps.clock.now());
  const id = newRecordId(now, deps.randomBytes);
  const secret = input.secret ?? generateWebhookSecret(deps.randomBytes);
  const collections = input.collections ? [...new Set(input.collections)] : null;
  const row = { id, url: input.url, events: [...new Set(input.events)], active: true, created: now };
  await inTransaction(deps, siteId, async (em) => {
    await refuseTooMany(em, siteId);
    const secret_sealed = deps.secrets.seal(secret, secretOwner(siteId, id));
    const neverTried = { acknowledged_began: 0, failed_began: [] };
    const own = { site_id: siteId, by_key: byKey, collections, secret_sealed, updated: now };
    em.persist(em.create(WebhookSubscription, { ...row, ...neverTried, ...own }));
  });
  return { ...row, ...(collections && { collections }), secret };
}

/**
 * Lists all subscriptions of a site, newest first, without secrets. `byKey` selects those that were registered with an API
 * key.
 */
export async function listSubscriptions({ database }: Deps, siteId: string, { byKey = false } = {}) {
  const rows = await database.em
    .getKysely()
    .selectFrom('webhook_subscriptions')
    .select(namesOf(Webhook))
    .where('site_id', '=', siteId)
    .$if(byKey, (own) => own.where('by_key', '=', true))
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ collections, ...row }) => ({ ...row, ...(collections && { collections }) }));
}

/** Returns a subscription. Throws `not_found` if the site has none with this ID. */
export async function getSubscription({ database }: Deps, siteId: string, id: string) {
  return found(await database.em.fork().findOne(WebhookSubscription, { site_id: siteId, id }));
}

/**
 * Updates the given fields of a subscription whose URL was checked. Deactivation cancels waiting deliveries, and
 * activation resets the failure counter. Throws `not_found`, and `precondition_failed` if `ifMatch` does not match
 * the revision.
 */
export async function updateSubscription(
  { deps, siteId, ifMatch }: SiteWrite & { deps: Deps },
  { id, ...input }: z.infer<typeof UpdateWebhook>,
) {
  const changes = omitUndefined(input);
  await changeLocked(deps, { site_id: siteId, subscription_id: id }, async (db, key) => {
    const updated = nextUpdated(key, { deps, siteId, ifMatch });
    if (Object.keys(changes).length === 0) return;
    await db
      .updateTable('webhook_subscriptions')
      .set({ ...changes, updated })
      .$if(changes.active === true, (update) => update.set({ failed_began: [] }))
      .where('site_id', '=', siteId)
      .where('id', '=', id)
      .execute();
    if (changes.active === false) await cancelAll(db, key);
  });
}

/**
 * Deletes a subscription and cancels its deliveries. With `byKey`, it must have been registered with an API key. Throws
 * `not_found` otherwise, and for an unknown one.
 */
export async function deleteSubscription(
  deps: Deps,
  siteId: string,
  { id, byKey = false }: { id: string; byKey?: boolean },
) {
  await changeLocked(deps, { site_id: siteId, subscription_id: id }, async (db, key) => {
    const { numDeletedRows } = await db
      .deleteFrom('webhook_subscriptions')
      .where('site_id', '=', siteId)
      .where('id', '=', id)
      .$if(byKey, (own) => own.where('by_key', '=', true))
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new ApiError('not_found');
    await cancelAll(db, key);
  });
}

/**
 * Changes a subscription and its deliveries in one transaction, with the subscription locked against delivery rounds.
 * Returns the result of `change`. Throws `not_found`.
 */
export async function changeLocked<T>(
  deps: Deps,
  key: SubscriptionKey,
  change: (db: Kysely<WebhookTables>, subscription: LockedSubscription) => Promise<T>,
): Promise<T> {
  return inTransaction(deps, key.site_id, async (em) => {
    const db = em.getKysely<WebhookTables>();
    const [subscription] = await lockSubscriptions(db, [key]);
    return change(db, found(subscription));
  });
}

/** Cancels requested attempts too, because an owner who deactivates a webhook wants no more requests. */
async function cancelAll(db: Kysely<WebhookTables>, key: SubscriptionKey) {
  await cancelRequested(db, [key]);
  await cancelDeliveries(db, [key]);
}

/** Locks the site's row, so that two concurrent registrations cannot both use the last slot. */
async function refuseTooMany(em: Transaction, siteId: string) {
  await lockRow(em, Site, { id: siteId });
  const count = await em.count(WebhookSubscription, { site_id: siteId });
  const { subscriptionsPerSite: max } = limits;
  if (count >= max)
    throw new ApiError('validation_failed', `a site has at most ${max} webhook subscriptions`);
}

/**
 * Replaces the secret of a subscription. Only this response contains the new one. The previous secret also signs for 24
 * hours; a second rotation ends the oldest. Throws `not_found`.
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
