import { type RawBuilder, sql } from 'kysely';
import { Client } from './client.ts';
import { DatabaseBusyError, DatabaseUnavailableError } from './database-errors.ts';
import type { Waits } from './database-timeouts.ts';
import { SessionClient } from './session.ts';

/** Numbers of PostgreSQL's advisory locks, for work that only one process of this service may do at a time. */
export const locks = {
  migrate: 4_210_871,
  viewPartition: 4_210_872,
  firstSite: 4_210_873,
  /** The second number of the lock is the hash of the site's ID, as for `trash`. */
  heldSite: 4_210_874,
  trash: 4_210_875,
  /** The second number is the hash of the IDs of site and course. The SQL function `bound_course` takes the lock. */
  courseParts: 4_210_876,
  /** The second number is the hash of the day. */
  rollUp: 4_210_877,
  /** The second number is the hash of site and mailbox. */
  trial: 4_210_878,
} as const;

/**
 * Runs `work` while this process has the lock, and returns its result. Other processes wait for the lock. Throws
 * `DatabaseUnavailableError` if the connection with the lock breaks before `work` ends, and the connection's error if it
 * cannot be opened.
 */
export async function withLock<T>(url: string, lock: keyof typeof locks, work: () => Promise<T>): Promise<T> {
  const guard = new SessionClient({ connectionString: url });
  await guard.connect();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  guard.on('error', (cause) =>
    reject(
      new DatabaseUnavailableError('lost the database connection that holds an advisory lock', { cause }),
    ),
  );
  try {
    await guard.query('select pg_advisory_lock($1)', [locks[lock]]);
    return await Promise.race([work(), lost]);
  } finally {
    await guard.end();
  }
}

/**
 * SQL condition: a lease was given before the database's clock was set back. It then ends later than any lease that
 * begins now.
 */
export const isInvalidLease = (endsAt: RawBuilder<unknown>, leaseMs: number): RawBuilder<boolean> =>
  sql`${endsAt} > now() + ${sql.lit(2 * leaseMs)} * interval '1 millisecond'`;

const signOfLifeMs = 20_000;

/**
 * Returns a function that locks a site for this process until the result is disposed of. It returns null if another
 * holder keeps the lock for longer than `waitMs` milliseconds. `lost` aborts with a `DatabaseBusyError` if the
 * connection that holds the lock breaks. Each lock has its own connection, because it may last an hour: too long for
 * a transaction or a connection of the pool.
 */
export const createHoldSite =
  ({
    url,
    applicationName,
    waits,
  }: Record<'url' | 'applicationName', string> & { waits?: Waits | undefined }) =>
  async (siteId: string, waitMs: number) => {
    const client = new Client({
      connectionString: url,
      application_name: applicationName,
      keepAlive: true,
      waits,
      settings: { lock_timeout: waitMs },
      ...(waits && { connectionTimeoutMillis: waits.connectionMs }),
    });
    const lost = new AbortController();
    await client.connect();
    client.on('error', (cause) =>
      lost.abort(
        new DatabaseBusyError('lost the database connection that holds the lock of the site', { cause }),
      ),
    );
    // Queries detect a connection that broke silently, and keep firewalls from closing an idle one.
    const sign = setInterval(() => void client.query('select').catch(() => {}), signOfLifeMs);
    const release = async () => {
      clearInterval(sign);
      await client.query('select pg_advisory_unlock_all()').catch(() => {});
      await client.end();
    };
    try {
      await client.query('select pg_advisory_lock($1::integer, hashtext($2))', [locks.heldSite, siteId]);
    } catch (error) {
      await release();
      if (isHeld(error)) return null;
      throw error;
    }
    return { lost: lost.signal, [Symbol.asyncDispose]: release };
  };

/** True for PostgreSQL's error lock_not_available, which follows `lock_timeout`. */
const isHeld = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';
