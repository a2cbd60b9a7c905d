import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../db/config.ts';
import { PaymentConnection } from '../db/entities/offers.ts';
import { addJob } from '../db/jobs.ts';
import { openedOrNull, type SecretBox } from '../runtime/secret-box.ts';

/** Returns the owner that the secrets of a site's connection are sealed for. */
export const connectionOwner = (siteId: string) => JSON.stringify(['payments', siteId]);

export type PaymentTables = InferKyselyDB<typeof PaymentConnection>;

export type Connection = Omit<Selectable<PaymentTables['payment_connections']>, 'state' | 'reason'> &
  ActiveOrBroken;

/**
 * State and reason. A broken connection neither sells nor follows sales:
 * - `key_refused`: Stripe refused the key. It is tried again every hour.
 * - `moved`: the service runs under another PUBLIC_URL than when the account was connected, such as with a copied database.
 * - `key_unreadable`: SECRET_KEY does not decrypt the key.
 */
type ActiveOrBroken =
  | { state: 'active'; reason: null; key: string }
  | { state: 'broken'; reason: 'key_refused' | 'moved'; key: string }
  | { state: 'broken'; reason: 'key_unreadable'; key: null };

export interface ConnectionDeps {
  database: Pick<Database, 'em'>;
  secrets: Pick<SecretBox, 'open'>;
  /** The service's own origin. */
  publicUrl: URL;
}

/**
 * Finds the connection of a site to its Stripe account, with the decrypted key; null if the site has none. If the key cannot be
 * decrypted, `key` is null and `state` is `broken`.
 */
export async function findConnection(
  { database, secrets, publicUrl }: ConnectionDeps,
  siteId: string,
): Promise<Connection | null> {
  const row = await database.em
    .getKysely()
    .selectFrom('payment_connections')
    .selectAll()
    .where('site_id', '=', siteId)
    .executeTakeFirst();
  if (!row) return null;
  const key = openedOrNull(() => secrets.open(row.key_sealed, connectionOwner(siteId)));
  if (key === null) return { ...row, state: 'broken', reason: 'key_unreadable', key };
  if (row.public_url !== publicUrl.origin) return { ...row, state: 'broken', reason: 'moved', key };
  return row.state === 'active'
    ? { ...row, state: 'active', reason: null, key }
    : { ...row, state: 'broken', reason: 'key_refused', key };
}

/** Site of a connection with the secret that signs its webhooks; null for an unknown connection, and for one without webhooks. */
export async function findHook(
  { database, secrets }: Pick<ConnectionDeps, 'database' | 'secrets'>,
  id: string,
): Promise<{ site_id: string; secret: string } | null> {
  const row = await database.em.fork().findOne(PaymentConnection, { id });
  const { site_id, hook_secret_sealed: sealed } = row ?? {};
  if (!site_id || !sealed) return null;
  const secret = openedOrNull(() => secrets.open(sealed, connectionOwner(site_id)));
  return secret === null ? null : { site_id, secret };
}

/** Name of the account that rows of the connection belong to; it stays while keys change. */
export const accountKeyOf = ({ account_id, portal_ref }: Pick<Connection, 'account_id' | 'portal_ref'>) =>
  account_id ?? portal_ref;

/** Time until the next try of a refused key, in milliseconds. */
export const refusedKeyMs = 3_600_000;

/**
 * Notes that Stripe refused the key of a connection, and notifies the owners the first time. Does nothing if the key was replaced
 * since.
 */
export async function markBroken(
  em: Transaction,
  { site_id, key_sealed }: Pick<Connection, 'site_id' | 'key_sealed'>,
  now: Date,
): Promise<void> {
  const due_at = new Date(now.getTime() + refusedKeyMs);
  await sql`
    with broken as (
      update payment_connections set state = 'broken', reason = 'key_refused', due_at = ${due_at}, updated = ${now}
      where site_id = ${site_id} and key_sealed = ${key_sealed} and state = 'active' returning site_id
    )
    select ${addJob('tell_owner_of_payments', { site_id })} from broken`.execute(em.getKysely());
}

/**
 * Makes the next pass over a site's account due now. Call it when a checkout opens, a buyer returns, or Stripe sends a webhook. Wakes
 * before the pass begins collapse into it.
 */
export async function wakePayments(em: Transaction, siteId: string, now: Date): Promise<void> {
  const isLater = { $or: [{ due_at: null }, { due_at: { $gt: now } }] };
  await em.nativeUpdate(PaymentConnection, { site_id: siteId, ...isLater }, { due_at: now });
}
