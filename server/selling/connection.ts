import { type RawBuilder, sql } from 'kysely';
import type { Stripe } from 'stripe';
import type { z } from 'zod';
import type { ConnectPayments, PaymentState } from '../../shared/contract/features/payments.ts';
import { base62, randomText } from '../../shared/contract/record-id.ts';
import type { Transaction } from '../../shared/db/config.ts';
import {
  accountKeyOf,
  type Connection,
  connectionOwner,
  findConnection,
  wakePayments,
} from '../../shared/selling/connection.ts';
import { stripeClient, stripeFailure, stripeTimeouts } from '../../shared/selling/stripe.ts';
import { syncSession } from '../../shared/selling/sync-objects.ts';
import { ensureEndpoint, webhookUrl } from '../../shared/selling/webhook-endpoint.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction } from '../api/transaction.ts';
import { hasPortal, type ProvenAccount, proveKey } from './prove-key.ts';

/** Time before a new connection from which sales are looked for, in milliseconds: as long as Stripe keeps events. */
const lookBackMs = 30 * 86_400_000;

/** Time until the first pass, if the process that connects dies while it creates the webhook endpoint, in milliseconds. */
const webhookMs = 60_000;

/** Connection of a site, with its decrypted key; null if there is none. */
export const connectionOf = (deps: Deps, siteId: string) =>
  findConnection({ ...deps, publicUrl: deps.config.publicUrl }, siteId);

/** Client with the server's timeout. */
export const clientFor = ({ config }: Pick<Deps, 'config'>, key: string): Promise<Stripe> =>
  stripeClient(key, { apiBase: config.stripeApiBase, timeoutMs: stripeTimeouts.server });

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
 * `provider_refused`.
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
    await inTransaction(deps, siteId, (em) => changeConnection(em, siteId, settings));
    return getPaymentState(deps, siteId);
  }
  const stripe = await clientFor(deps, input.key);
  const livemode = /^.._live_/.test(input.key);
  const isSame = stored?.livemode === livemode && (await hasPortal(stripe, stored.portal_ref));
  const portal = isSame ? stored.portal_ref : null;
  const currency = (await findCurrency(deps, siteId)) ?? 'EUR';
  const account = await proveKey(stripe, { portal, currency, returnUrl: deps.config.publicUrl.href });
  if (stored && !input.confirm) requireUnmoved(stored, isSame);
  if (stored && !isSame) await leaveAccount(deps, stored);
  const now = deps.clock.now();
  const row = {
    key_sealed: deps.secrets.seal(input.key, connectionOwner(siteId)),
    ...{ ...settings, account_name: account.account_name, public_url: deps.config.publicUrl.origin },
    ...{
      state: 'active' as const,
      reason: null,
      // A pass would create the webhook endpoint too.
      due_at: new Date(now.getTime() + webhookMs),
      listed_at: null,
      lease_until: null,
      updated: now,
    },
  };
  await inTransaction(deps, siteId, (em) =>
    // A pass with the previous key loses its lease.
    isSame
      ? changeConnection(em, siteId, { ...row, lease_fence: sql<number>`lease_fence + 1` })
      : replaceAccount(em, deps, siteId, { ...row, ...account, livemode }),
  );
  await connectWebhook(deps, siteId, stripe);
  await wakePayments(deps.database.em.fork(), siteId, now);
  return getPaymentState(deps, siteId);
}

async function findCurrency({ database }: Pick<Deps, 'database'>, siteId: string) {
  const site = database.em.getKysely().selectFrom('sites').select('currency').where('id', '=', siteId);
  return (await site.executeTakeFirst())?.currency;
}

/** Throws `validation_failed` at `confirm` if the connection would leave its account, or a copy of the service would take it over. */
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

type NewColumns = Pick<Connection, 'key_sealed' | 'automatic_tax' | 'promotion_codes' | 'account_name'> & {
  public_url: string;
  state: 'active';
  reason: null;
  due_at: Date;
  listed_at: null;
  lease_until: null;
  updated: Date;
};

async function changeConnection(
  em: Transaction,
  siteId: string,
  changes: Partial<NewColumns> & { lease_fence?: RawBuilder<number> },
): Promise<void> {
  await em
    .getKysely()
    .updateTable('payment_connections')
    .set(changes)
    .where('site_id', '=', siteId)
    .execute();
}

/** Connects another account, which knows no product and no session of this site. */
async function replaceAccount(
  em: Transaction,
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  site_id: string,
  row: NewColumns & ProvenAccount & { livemode: boolean },
) {
  const db = em.getKysely();
  const { updated: now } = row;
  await db.deleteFrom('payment_connections').where('site_id', '=', site_id).execute();
  const connection = {
    ...{ ...row, site_id, id: randomText(base62, 22, randomBytes), hook_id: null, hook_secret_sealed: null },
    ...{ cursor: new Date(now.getTime() - lookBackMs), seen_at: null, created: now },
    // Above every fence of the replaced connection, whose pass may still run.
    lease_fence: now.getTime(),
  };
  await db.insertInto('payment_connections').values(connection).execute();
  await sql`update offers set product_ref = null where site_id = ${site_id} and product_ref is not null`.execute(
    db,
  );
}

/** Creates the webhook endpoint. If Stripe refuses it, passes of the worker suffice. */
async function connectWebhook(deps: Deps, siteId: string, stripe: Stripe) {
  const connection = await connectionOf(deps, siteId);
  const url = connection && webhookUrl(deps.config.publicUrl, connection.id);
  if (!url) return;
  const hook = await attempt(() => ensureEndpoint(stripe, url, connection.hook_id));
  if (!hook) return;
  const sealed = deps.secrets.seal(hook.secret, connectionOwner(siteId));
  await sql`
    update payment_connections set hook_id = ${hook.id}, hook_secret_sealed = ${sealed}
    where site_id = ${siteId} and id = ${connection.id}`.execute(deps.database.em.getKysely());
}

/** Result of a call that may fail; null if Stripe refused it or did not answer. */
const attempt = <T>(call: () => Promise<T>): Promise<T | null> =>
  call().catch((error: unknown) => {
    stripeFailure(error);
    return null;
  });

/**
 * Ends what a connection left at Stripe: open sessions and the webhook endpoint. A session that was just paid is folded. Those of a
 * connection that moved belong to another installation.
 */
async function leaveAccount(deps: Deps, connection: Connection): Promise<void> {
  const { site_id } = connection;
  const db = deps.database.em.getKysely();
  const { rows } = await sql<{ session_ref: string | null }>`
    select session_ref from checkouts where site_id = ${site_id} and state in ('opening', 'open')`.execute(
    db,
  );
  if (connection.key !== null && connection.reason !== 'moved') {
    const stripe = await clientFor(deps, connection.key);
    const transact = <T>(work: (em: Transaction) => Promise<T>) => inTransaction(deps, site_id, work);
    const scope = { deps: { ...deps, countsTest: deps.config.countsTest }, connection, stripe, transact };
    for (const { session_ref: id } of rows) {
      if (!id) continue;
      try {
        await stripe.checkout.sessions.expire(id);
      } catch (error) {
        if (stripeFailure(error).kind !== 'refused') break;
        await attempt(() => syncSession(scope, id));
      }
    }
    const { hook_id } = connection;
    if (hook_id) await attempt(() => stripe.webhookEndpoints.del(hook_id));
  }
  await sql`
    update checkouts set state = 'expired', updated = ${deps.clock.now()}
    where site_id = ${site_id} and state in ('opening', 'open')`.execute(db);
}

/** Removes a connection. Purchases stay open, and memberships until the end of their periods. Throws `not_found`. */
export async function disconnectPayments(deps: Deps, siteId: string): Promise<{ memberships: number }> {
  const connection = found(await connectionOf(deps, siteId));
  await leaveAccount(deps, connection);
  const db = deps.database.em.getKysely();
  const own = db.deleteFrom('payment_connections').where('site_id', '=', siteId);
  await own.where('id', '=', connection.id).execute();
  const { rows } = await sql<{ memberships: number }>`
    select count(*)::integer as memberships from memberships
    where site_id = ${siteId} and provider = 'stripe' and state <> 'ended' and account_key = ${accountKeyOf(connection)}`.execute(
    db,
  );
  return { memberships: rows[0]?.memberships ?? 0 };
}

/** Makes a pass with a complete listing due now. Throws `payments_not_configured` without a connection that can be synced. */
export async function syncPayments(deps: Deps, siteId: string): Promise<void> {
  const connection = await connectionOf(deps, siteId);
  if (!connection?.key || connection.reason === 'moved') throw new ApiError('payments_not_configured');
  await sql`
    update payment_connections set due_at = ${deps.clock.now()}, listed_at = null where site_id = ${siteId}`.execute(
    deps.database.em.getKysely(),
  );
}
