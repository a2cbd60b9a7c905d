import { type RawBuilder, sql } from 'kysely';
import { SessionClient } from './session.ts';
import { DatabaseAwayError } from './troubles.ts';

/** What only one process of this service does at a time: PostgreSQL's advisory locks are told apart by number. */
export const locks = {
  migrate: 4_210_871,
  viewPartition: 4_210_872,
  firstSite: 4_210_873,
  /** With the site's hash, as `trash`. */
  heldSite: 4_210_874,
  trash: 4_210_875,
  /** With the course's hash, by `bound_course` of the migrations. */
  courseParts: 4_210_876,
  /** With the day's hash. */
  rollUp: 4_210_877,
} as const;

/**
 * Does `work` while no other process does what has this lock; one that comes at the same moment waits. Throws `DatabaseAwayError`
 * when the lock is lost meanwhile.
 */
export async function withLock<T>(url: string, lock: keyof typeof locks, work: () => Promise<T>): Promise<T> {
  const guard = new SessionClient({ connectionString: url });
  await guard.connect();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  guard.on('error', (cause) =>
    reject(new DatabaseAwayError('lost the database connection that holds an advisory lock', { cause })),
  );
  try {
    await guard.query('select pg_advisory_lock($1)', [locks[lock]]);
    return await Promise.race([work(), lost]);
  } finally {
    await guard.end();
  }
}

/** SQL: whether a lease was given before the database's clock was set back: it ends later than any that is given now. */
export const isStray = (endsAt: RawBuilder<unknown>, leaseMs: number): RawBuilder<boolean> =>
  sql`${endsAt} > now() + ${sql.lit(2 * leaseMs)} * interval '1 millisecond'`;
