import { sql } from 'kysely';
import type { Transaction } from '../db/config.ts';
import { CheckoutEntity, PaymentConnection } from '../db/entities/offers.ts';
import { type JobPayload, queueJob } from '../db/jobs.ts';
import type { SaleDeps } from './apply-fold.ts';
import type { Connection } from './connection.ts';
import { stripeFailure } from './stripe.ts';
import { endSession, ignoreRefusal, type SyncScope, syncSession } from './sync-objects.ts';

// A site leaves an account by disconnecting it, or by connecting another one. In the transaction that deletes the connection, open
// checkouts become `expired` and the job `leave_account` is queued. After the commit, their pages are ended at Stripe with the former
// key: first by the server, for some seconds, then by the job. A page that was paid before is folded. The URL of a checkout is
// cleared when its page has ended. A checkout that is `paying` is folded every few hours, until its bank has answered.

/** Maximum number of checkouts of one job `leave_account`. */
const batchSize = 100;

/** Delay of the job `leave_account`, in milliseconds. The server ends most checkout pages before it begins. */
const firstMs = 30_000;

/**
 * Interval between checks of bank payments that are in progress, and time after which they count as failed, in
 * milliseconds.
 */
const bankMs = { interval: 6 * 3_600_000, max: 21 * 86_400_000 } as const;

export type LeftAccount = JobPayload<'leave_account'>;

/**
 * Deletes a connection within a transaction, and expires its open checkouts. Returns the jobs that it queued: none for the
 * connection of another installation, and for one without a readable key. Returns null if the connection was changed since it was
 * read.
 */
export async function deleteConnection(
  em: Transaction,
  { clock }: Pick<SaleDeps, 'clock'>,
  connection: Connection,
): Promise<LeftAccount[] | null> {
  const { site_id, id, key_sealed } = connection;
  if ((await em.nativeDelete(PaymentConnection, { site_id, id, key_sealed })) === 0) return null;
  const isFollowed = connection.key !== null && connection.reason !== 'moved';
  const now = clock.now();
  const { rows } = await sql<{ id: string; session_ref: string | null }>`
    update checkouts set updated = ${now},
      state = case when state <> 'paying' then 'expired' when ${isFollowed} then 'paying' else 'failed' end
    where site_id = ${site_id} and state in ('opening', 'open', 'paying') returning id, session_ref`.execute(
    em.getKysely(),
  );
  if (!isFollowed) return [];
  const { account_id, portal_ref, hook_id, public_url } = connection;
  const account = { account_id, portal_ref, hook_id, public_url, key_sealed };
  const checkouts = rows.flatMap((row) => (row.session_ref === null ? [] : [row.id]));
  const batches = Array.from({ length: Math.max(1, Math.ceil(checkouts.length / batchSize)) }, (_, at) => ({
    ...{ site_id, account, left_at: now.toISOString() },
    checkouts: checkouts.slice(at * batchSize, (at + 1) * batchSize),
  }));
  for (const batch of batches) await queueJob(em, 'leave_account', batch, firstMs);
  return batches;
}

/**
 * Ends what a connection left at Stripe: pages of checkouts, and the webhook endpoint. Returns the checkouts whose bank has not
 * answered. Throws as the client does.
 */
export async function leaveAccount(
  scope: Omit<SyncScope, 'connection'>,
  { site_id, account, checkouts, left_at }: LeftAccount,
): Promise<string[]> {
  const { stripe, transact, deps } = scope;
  const connection = { site_id, ...account };
  const isLate = deps.clock.now().getTime() - Date.parse(left_at) > bankMs.max;
  const paying: string[] = [];
  const { hook_id } = account;
  try {
    for (const id of checkouts) {
      const row = await transact((em) => findLeft(em, site_id, id));
      const session = row?.session_ref;
      if (!session) continue;
      const page = { ...scope, connection };
      if (row.state === 'expired') await endSession(page, session);
      else await ignoreRefusal(() => syncSession(page, session));
      await transact((em) => em.nativeUpdate(CheckoutEntity, { site_id, id }, { url: null }));
      if ((await transact((em) => findLeft(em, site_id, id)))?.state === 'paying') paying.push(id);
    }
    if (hook_id) await ignoreRefusal(() => stripe.webhookEndpoints.del(hook_id));
  } catch (error) {
    if (stripeFailure(error).kind !== 'unauthorized') throw error;
    await transact((em) => giveUp(em, deps, site_id, checkouts));
    return [];
  }
  if (!isLate) return paying;
  await transact((em) => giveUp(em, deps, site_id, paying));
  return [];
}

/** Checkout whose page has not ended, or whose bank has not answered. */
const findLeft = (em: Transaction, site_id: string, id: string) =>
  em.findOne(CheckoutEntity, {
    ...{ site_id, id },
    $or: [{ state: 'expired', url: { $ne: null } }, { state: 'paying' }],
  });

/** Fails checkouts whose outcome cannot be read any more, so that their buyers can buy again. */
export const giveUp = (
  em: Transaction,
  { clock }: Pick<SaleDeps, 'clock'>,
  site_id: string,
  checkouts: readonly string[],
) => {
  const waiting = { site_id, id: { $in: [...checkouts] }, state: 'paying' } as const;
  return em.nativeUpdate(CheckoutEntity, waiting, { state: 'failed', updated: clock.now() });
};

/** Queues another look at payments of banks. */
export const queueLook = (em: Transaction, left: LeftAccount) =>
  queueJob(em, 'leave_account', left, bankMs.interval);
