import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../shared/contract/timestamps.ts';
import type { Database, Transaction } from '../../shared/db/config.ts';
import { CheckoutEntity } from '../../shared/db/entities/offers.ts';
import { refusedKeyMs } from '../../shared/selling/connection.ts';
import { openingMinutes } from '../../shared/selling/fold.ts';

/** Duration of the lease of a pass, in milliseconds. */
const leaseMs = 60_000;

/**
 * Intervals between passes, in milliseconds. `waiting` applies while a checkout waits for its payment, and for an hour
 * after.
 */
const intervalMs = { waiting: 60_000, idle: 15 * 60_000 } as const;

const afterWaitingMs = 3_600_000;

export class LostLeaseError extends Error {
  constructor() {
    super('another worker took over the lease of a payment connection');
    this.name = 'LostLeaseError';
  }
}

export interface Lease {
  site_id: string;
  fence: number;
}

interface LeaseDeps {
  database: Pick<Database, 'em'>;
  clock: Clock;
}

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);

/**
 * SQL conditions: the pass of a connection is due. Times that lie further ahead than any that a worker sets come from a clock that was
 * set back.
 */
const isPast = (now: Date) => sql`due_at <= ${now}`;
const isTooFarAhead = (now: Date) => sql`due_at > ${after(now, 2 * refusedKeyMs)}`;

/** SQL condition: no worker runs the pass of a connection. Connections that were made under another PUBLIC_URL have no passes. */
const isFree = (now: Date, publicUrl: URL) => sql`
  public_url = ${publicUrl.origin} and (lease_until is null or lease_until <= ${now} or lease_until > ${after(now, leaseMs)})`;

/** Sites whose pass is due. Each condition is a range of the index, of which only the beginning is read. */
export function duePayments(now: Date, publicUrl: URL) {
  const first = (isDue: RawBuilder<unknown>) => sql`(
    select site_id, due_at from payment_connections where ${isDue} and ${isFree(now, publicUrl)} order by due_at limit 100)`;
  return sql`
    select site_id from (${first(isPast(now))} union all ${first(isTooFarAhead(now))}) due order by due_at limit 100`;
}

/** Takes the lease of a site's due connection; null if another worker did. A later wake causes another pass. */
export async function claimLease(
  { database, clock }: LeaseDeps,
  site_id: string,
  publicUrl: URL,
): Promise<Lease | null> {
  const now = clock.now();
  const until = after(now, leaseMs);
  // A due time that equals the end of the lease is that of a pass whose worker died.
  const { rows } = await sql<{ fence: number }>`
    update payment_connections set lease_fence = lease_fence + 1, lease_until = ${until}, due_at = ${until}
    where site_id = ${site_id} and (${isPast(now)} or ${isTooFarAhead(now)}) and ${isFree(now, publicUrl)}
    returning lease_fence as fence`.execute(database.em.fork().getKysely());
  const [row] = rows;
  return row ? { site_id, fence: Number(row.fence) } : null;
}

/** Age at which a lease is renewed. One object takes a few calls, each of at most ten seconds. */
const renewalMs = 10_000;

/** Returns a function that renews a lease if it is older than `renewalMs`, or `isNow`. It throws `LostLeaseError`. */
export function createRenewal({ database, clock }: LeaseDeps, { site_id, fence }: Lease) {
  let renewedAt = clock.sinceStart();
  return async (isNow = false): Promise<void> => {
    const now = clock.sinceStart();
    if (!isNow && now - renewedAt < renewalMs) return;
    const until = after(clock.now(), leaseMs);
    const { rows } = await sql`
      update payment_connections set lease_until = ${until}, due_at = case when due_at = lease_until then ${until} else due_at end
      where site_id = ${site_id} and lease_fence = ${fence} returning site_id`.execute(
      database.em.fork().getKysely(),
    );
    if (rows.length === 0) throw new LostLeaseError();
    renewedAt = now;
  };
}

/** Runs a transaction that commits only if the lease is still held. Throws `LostLeaseError`. */
export const underLease = <T>(
  { database, clock }: LeaseDeps,
  { site_id, fence }: Lease,
  work: (em: Transaction) => Promise<T>,
): Promise<T> =>
  database.em.fork().transactional(async (em) => {
    // The lock holds back a worker that takes over, until this transaction ends.
    const { rows } = await sql`
      select from payment_connections
      where site_id = ${site_id} and lease_fence = ${fence} and lease_until > ${clock.now()} for share`.execute(
      em.getKysely(),
    );
    if (rows.length === 0) throw new LostLeaseError();
    return work(em);
  });

/** Columns that a successful pass changes. */
export interface PassResult {
  cursor: Date;
  /** Time of the last complete listing before the pass, if this pass made another one. */
  listedBefore?: Date | null | undefined;
  hook: { hook_id: string; hook_secret_sealed: string } | null;
}

/** Stores the result of a pass, expires checkouts without a session, and ends the lease. Throws `LostLeaseError`. */
export async function endPass(deps: LeaseDeps, lease: Lease, { cursor, listedBefore, hook }: PassResult) {
  const now = deps.clock.now();
  await underLease(deps, lease, async (em) => {
    const late = {
      site_id: lease.site_id,
      state: 'opening',
      created: { $lte: after(now, -openingMinutes * 60_000) },
    } as const;
    await em.nativeUpdate(CheckoutEntity, late, { state: 'expired', updated: now });
    // A listing that was requested during this one is left to the next pass.
    const listedAt =
      listedBefore === undefined
        ? sql``
        : sql`listed_at = case when listed_at is not distinct from ${listedBefore}::timestamptz then ${cursor}::timestamptz else listed_at end,`;
    const hookColumns = hook
      ? sql`, hook_id = ${hook.hook_id}, hook_secret_sealed = ${hook.hook_secret_sealed}`
      : sql``;
    await sql`
      update payment_connections c set cursor = ${cursor}, ${listedAt} seen_at = ${now}, lease_until = null,
        state = 'active', reason = null ${hookColumns}, due_at = case when due_at < lease_until then due_at
          when exists (select from checkouts k where k.site_id = c.site_id and (k.state = 'opening' or k.session_ref is not null)
            and (k.state in ('opening', 'open', 'paying') or k.updated > ${after(now, -afterWaitingMs)}))
          then ${after(now, intervalMs.waiting)}::timestamptz else ${after(now, intervalMs.idle)}::timestamptz end
      where site_id = ${lease.site_id} and lease_fence = ${lease.fence}`.execute(em.getKysely());
  });
}

/** Ends the lease of a failed pass. The next one is due after `waitMs`. */
export async function postponePass(
  { database, clock }: LeaseDeps,
  { site_id, fence }: Lease,
  waitMs: number,
) {
  await sql`
    update payment_connections set lease_until = null, due_at = ${after(clock.now(), waitMs)}
    where site_id = ${site_id} and lease_fence = ${fence}`.execute(database.em.fork().getKysely());
}
