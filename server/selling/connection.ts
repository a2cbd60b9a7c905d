import { type EntityData, type InferEntity, raw } from '@mikro-orm/core';
import type { Insertable } from 'kysely';
import type { Stripe } from 'stripe';
import type { z } from 'zod';
import type { ConnectPayments, PaymentState } from '../../shared/contract/features/payments.ts';
import { base62, randomText } from '../../shared/contract/record-id.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { Membership } from '../../shared/db/entities/audience.ts';
import { OfferEntity, PaymentConnection } from '../../shared/db/entities/offers.ts';
import { Site } from '../../shared/db/entities/site.ts';
import {
  accountKeyOf,
  type Connection,
  connectionOwner,
  findConnection,
  type PaymentTables,
  wakePayments,
} from '../../shared/selling/connection.ts';
import { deleteConnection, type LeftAccount, leaveAccount } from '../../shared/selling/leave-account.ts';
import { stripeClient, stripeFailure, stripeTimeouts } from '../../shared/selling/stripe.ts';
import type { SyncScope } from '../../shared/selling/sync-objects.ts';
import { ensureEndpoint } from '../../shared/selling/webhook-endpoint.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction } from '../api/transaction.ts';
import { hasPortal, proveKey } from './prove-key.ts';

/** Time before a new connection from which sales are looked for, in milliseconds: as long as Stripe keeps events. */
const lookBackMs = 30 * 86_400_000;

/**
 * Time until the worker first looks for sales, if the process that connects dies while it creates the webhook endpoint,
 * in milliseconds.
 */
const webhookMs = 60_000;

/**
 * Finds the connection of a site to Stripe, with its decrypted key; null if the site has none. If the key cannot be decrypted, `key` is
 * null and `state` is `broken`.
 */
export const connectionOf = (deps: Deps, siteId: string) =>
  findConnection({ ...deps, publicUrl: deps.config.publicUrl }, siteId);

/** Creates a client of Stripe with the server's timeout. */
export const clientFor = (
  { config }: Pick<Deps, 'config'>,
  key: string,
  signal?: AbortSignal,
): Promise<Stripe> =>
  stripeClient(key, { apiBase: config.stripeApiBase, timeoutMs: stripeTimeouts.server, signal });

/** Dependencies and transactions with which code of `shared/selling` folds objects of Stripe into rows of a site. */
export const foldScope = (deps: Deps, siteId: string): Pick<SyncScope, 'deps' | 'transact'> => ({
  deps: { ...deps, countsTest: deps.config.countsTest },
  transact: (work) => inTransaction(deps, siteId, work),
});

export async function getPaymentState(deps: Deps, siteId: string): Promise<PaymentState> {
  const connection = await connectionOf(deps, siteId);
  if (!connection)
    return {
      ...{ state: 'none', reason: null, livemode: null, account_name: '', webhook: false },
      ...{ automatic_tax: false, promotion_codes: false, warning: null },
    };
  const { state, reason, livemode, account_name, hook_id, automatic_tax, promotion_codes, key } = connection;
  const warning = key?.startsWith('sk_') ? 'full_access_key' : null;
  const webhook = hook_id !== null;
  return { state, reason, livemode, account_name, webhook, automatic_tax, promotion_codes, warning };
}

/**
 * Connects a site to the account of a key, or replaces the key and settings of the connected account. Throws `validation_failed` for a
 * key that is unknown or lacks a permission, and for another account or mode without `confirm`; `provider_unavailable` and
 * `provider_refused`. If a concurrent request changes the connection, it begins again with the changed one.
 */
export async function connectPayments(
  deps: Deps,
  siteId: string,
  input: z.output<typeof ConnectPayments>,
): Promise<PaymentState> {
  const stored = await connectionOf(deps, siteId);
  const settings = {
    automatic_tax: input.automatic_tax ?? stored?.automatic_tax ?? false,
    promotion_codes: input.promotion_codes ?? stored?.promotion_codes ?? false,
  };
  if (stored?.state === 'active' && stored.key === input.key) {
    const isChanged = await inTransaction(deps, siteId, (em) => changeConnection(em, stored, settings));
    return isChanged ? getPaymentState(deps, siteId) : connectPayments(deps, siteId, input);
  }
  const stripe = await clientFor(deps, input.key);
  const livemode = /^.._live_/.test(input.key);
  const isSame = stored?.livemode === livemode && (await hasPortal(stripe, stored.portal_ref));
  const portal = isSame ? stored.portal_ref : null;
  const site = await deps.database.em.fork().findOne(Site, { id: siteId });
  const currency = site?.currency ?? 'EUR';
  const account = await proveKey(stripe, { portal, currency, returnUrl: deps.config.publicUrl.href });
  if (stored && !input.confirm) requireUnmoved(stored, isSame);
  const now = deps.clock.now();
  const row = {
    key_sealed: deps.secrets.seal(input.key, connectionOwner(siteId)),
    ...{ ...settings, account_name: account.account_name, public_url: deps.config.publicUrl.origin },
    // Delays the first pass of the worker, which would create a second webhook endpoint.
    due_at: new Date(now.getTime() + webhookMs),
    ...{ state: 'active' as const, reason: null, listed_at: null, lease_until: null, updated: now },
  };
  const left = await inTransaction(deps, siteId, async (em) => {
    if (!isSame) return replaceAccount(em, deps, stored, { ...row, ...account, site_id: siteId, livemode });
    // A pass of the worker that uses the previous key loses its lease.
    const changes = { ...row, lease_fence: raw('lease_fence + 1') };
    return (await changeConnection(em, stored, changes)) ? [] : null;
  });
  if (!left) return connectPayments(deps, siteId, input);
  if (stored) await beginLeaving(deps, stored, left);
  await connectWebhook(deps, siteId, stripe, input.key);
  await wakePayments(deps.database.em.fork(), siteId, now);
  return getPaymentState(deps, siteId);
}

/**
 * Throws `validation_failed` at `confirm` if the key belongs to another account or mode, or if the account was
 * connected under another address of the service.
 */
function requireUnmoved({ reason }: Connection, isSame: boolean) {
  if (!isSame)
    throw new ApiError(
      'validation_failed',
      'confirm: must be true, because another account or mode is connected',
    );
  if (reason === 'moved')
    throw new ApiError(
      'validation_failed',
      'confirm: must be true, because the account was connected under another address of the service',
    );
}

/** Changes a connection. Returns false if it was changed since it was read. */
const changeConnection = async (
  em: Transaction,
  { site_id, id, key_sealed }: Connection,
  changes: EntityData<InferEntity<typeof PaymentConnection>>,
) => (await em.nativeUpdate(PaymentConnection, { site_id, id, key_sealed }, changes)) > 0;

type NewConnection = Omit<
  Insertable<PaymentTables['payment_connections']>,
  'id' | 'hook_id' | 'hook_secret_sealed' | 'cursor' | 'seen_at' | 'created' | 'lease_fence'
>;

/**
 * Connects another account, which knows no product and no session of this site. Returns the jobs of the former account
 * (`deleteConnection`); null if a concurrent request changed the connection, or made the first one.
 */
async function replaceAccount(
  em: Transaction,
  deps: Pick<Deps, 'clock' | 'randomBytes'>,
  former: Connection | null,
  row: NewConnection & { updated: Date },
): Promise<LeftAccount[] | null> {
  const { site_id, updated: now } = row;
  const left = former ? await deleteConnection(em, deps, former) : [];
  if (!left) return null;
  const id = randomText(base62, 22, deps.randomBytes);
  const connection = {
    ...{ ...row, id, hook_id: null, hook_secret_sealed: null },
    ...{ cursor: new Date(now.getTime() - lookBackMs), seen_at: null, created: now },
    // A number above every fence of the replaced connection, because a pass of the worker for that connection may
    // still run.
    lease_fence: now.getTime(),
  };
  const inserted = await em
    .getKysely()
    .insertInto('payment_connections')
    .values(connection)
    .onConflict((conflict) => conflict.column('site_id').doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) return null;
  await em.nativeUpdate(OfferEntity, { site_id, product_ref: { $ne: null } }, { product_ref: null });
  return left;
}

/**
 * Creates the webhook endpoint, unless another key was connected since. If Stripe refuses it, the worker's passes find
 * payments without it.
 */
async function connectWebhook(deps: Deps, siteId: string, stripe: Stripe, key: string) {
  const connection = await connectionOf(deps, siteId);
  if (connection?.key !== key) return;
  const hook = await ensureEndpoint({ ...deps, publicUrl: deps.config.publicUrl }, stripe, connection);
  if (hook) await changeConnection(deps.database.em.fork(), connection, hook);
}

/** Time that a request waits for Stripe while it leaves an account, in milliseconds. The job does the rest. */
const leavingMs = 8_000;

/** Begins the jobs of a connection that was deleted, so that most pages end before the owner sees the answer. */
async function beginLeaving(deps: Deps, { site_id, key }: Connection, batches: readonly LeftAccount[]) {
  if (key === null || batches.length === 0) return;
  const stripe = await clientFor(deps, key, AbortSignal.timeout(leavingMs));
  try {
    for (const batch of batches) await leaveAccount({ ...foldScope(deps, site_id), stripe }, batch);
  } catch (error) {
    deps.logger.warn({ site_id, reason: stripeFailure(error).message }, 'an account is left by a job');
  }
}

/**
 * Removes a connection. Purchases stay open, and memberships until the end of their periods. Throws `not_found`, also if a
 * concurrent request removed or replaced it.
 */
export async function disconnectPayments(deps: Deps, siteId: string): Promise<{ memberships: number }> {
  const connection = found(await connectionOf(deps, siteId));
  const left = await inTransaction(deps, siteId, (em) => deleteConnection(em, deps, connection));
  await beginLeaving(deps, connection, found(left));
  const charged = { site_id: siteId, provider: 'stripe', state: { $ne: 'ended' } } as const;
  const account_key = accountKeyOf(connection);
  const memberships = await deps.database.em.fork().count(Membership, { ...charged, account_key });
  return { memberships };
}

/** Makes a pass with a complete listing due now. Throws `payments_not_configured` without a connection that can be synced. */
export async function syncPayments(deps: Deps, siteId: string): Promise<void> {
  const connection = await connectionOf(deps, siteId);
  if (!connection?.key || connection.reason === 'moved') throw new ApiError('payments_not_configured');
  const isDue = { due_at: deps.clock.now(), listed_at: null };
  await deps.database.em.fork().nativeUpdate(PaymentConnection, { site_id: siteId }, isDue);
}
