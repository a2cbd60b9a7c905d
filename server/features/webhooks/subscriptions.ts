import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import { webhooks as limits } from '../../../shared/contract/limits.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { RegisterWebhook, UpdateWebhook, Webhook } from '../../../shared/contract/webhooks.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { WebhookSubscription } from '../../../shared/db/entities/webhooks.ts';
import { Timestamp } from '../../../shared/db/timestamp.ts';
import { omitUndefined } from '../../../shared/omit-undefined.ts';
import { webhookTargetFault } from '../../../shared/webhooks/target.ts';
import { generateWebhookSecret } from '../../../shared/webhooks/webhook-secret.ts';
import type { Deps } from '../../kernel/deps.ts';
import { ApiError } from '../../kernel/errors.ts';

const shown = ['id', 'url', 'events', 'active', 'consecutive_failures', 'created', 'updated'] as const;

type Shown = z.infer<typeof Webhook>;

/** Stores a subscription; its secret is shown here and never again. Throws `validation_failed`. */
export async function createSubscription(deps: Deps, siteId: string, input: z.infer<typeof RegisterWebhook>) {
  await checkTarget(deps, input.url);
  const now = new Timestamp(deps.clock.now());
  const id = newRecordId(now, deps.randomBytes);
  const secret = input.secret ?? generateWebhookSecret(deps.randomBytes);
  const row = { id, url: input.url, events: [...new Set(input.events)], active: true, created: now };
  await deps.database.em.fork().transactional(async (em) => {
    await refuseTooMany(em, siteId);
    const secret_sealed = deps.webhooks.secrets.seal(secret, `${siteId}/${id}`);
    em.persist(
      em.create(WebhookSubscription, {
        ...row,
        site_id: siteId,
        secret_sealed,
        consecutive_failures: 0,
        updated: now,
      }),
    );
  });
  return { ...row, secret };
}

/** All subscriptions of a site, newest first; never their secrets. */
export async function listSubscriptions({ database }: Deps, siteId: string): Promise<Shown[]> {
  const reads: Kysely<{ webhook_subscriptions: Shown & { site_id: string } }> = database.em.getKysely();
  const query = reads.selectFrom('webhook_subscriptions').select(shown).where('site_id', '=', siteId);
  return query.orderBy('created', 'desc').orderBy('id', 'desc').execute();
}

/** Throws `not_found`. */
export async function getSubscription({ database }: Deps, siteId: string, id: string) {
  const row = await database.em.fork().findOne(WebhookSubscription, { site_id: siteId, id });
  if (!row) throw new ApiError('not_found');
  return row;
}

/** Switching it off cancels what is under way; switching it on resets the failure counter. Throws `not_found`, `validation_failed`. */
export async function updateSubscription(
  deps: Deps,
  siteId: string,
  { id, ...input }: z.infer<typeof UpdateWebhook>,
) {
  const changes = omitUndefined(input);
  if (changes.url !== undefined) await checkTarget(deps, changes.url);
  await deps.database.em.fork().transactional(async (em) => {
    const row = await em.findOne(
      WebhookSubscription,
      { site_id: siteId, id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!row) throw new ApiError('not_found');
    if (Object.keys(changes).length === 0) return;
    em.assign(row, { ...changes, updated: deps.clock.now() });
    if (changes.active === true) row.consecutive_failures = 0;
    if (changes.active === false) await cancelDeliveries(em, { site_id: siteId, id });
  });
}

/** Removes a subscription and cancels what is under way to it. Throws `not_found`. */
export async function deleteSubscription(deps: Deps, siteId: string, id: string) {
  await deps.database.em.fork().transactional(async (em) => {
    const deleted = await em.nativeDelete(WebhookSubscription, { site_id: siteId, id });
    if (deleted === 0) throw new ApiError('not_found');
    await cancelDeliveries(em, { site_id: siteId, id });
  });
}

const cancelDeliveries = (em: EntityManager, { site_id, id }: { site_id: string; id: string }) =>
  sql`update webhook_deliveries set status = 'cancelled', due_at = null, lease_until = null, updated = now()
    where site_id = ${site_id} and subscription_id = ${id} and due_at is not null`.execute(em.getKysely());

async function checkTarget({ webhooks }: Deps, url: string) {
  const fault = await webhookTargetFault(url, webhooks.rule);
  if (fault) throw new ApiError('validation_failed', `url: ${fault}`);
}

/** The site's row is locked, so that two who register at once can't both be the hundredth. */
async function refuseTooMany(em: EntityManager, siteId: string) {
  await em.findOne(Site, { id: siteId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const count = await em.count(WebhookSubscription, { site_id: siteId });
  if (count < limits.subscriptionsPerSite) return;
  throw new ApiError(
    'validation_failed',
    `a site has at most ${limits.subscriptionsPerSite} webhook subscriptions`,
  );
}
