import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Database } from '../../../shared/db/config.ts';

/** Number of rows per statement, so that locks are short. */
const stepSize = 5_000;

const everyMs = 60_000;

/**
 * Runs `pruneLimits` once a minute, in each process, until the result is disposed. Rows that another process deleted cost
 * nothing.
 */
export function keepLimitsPruned(database: Database, logger: FastifyBaseLogger): Disposable {
  let pruning = Promise.resolve();
  const timer = setInterval(() => {
    pruning = pruning
      .then(() => pruneLimits(database))
      .catch((err: unknown) =>
        logger.warn({ err }, 'deleting expired rate limit counters failed; retrying later'),
      );
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Deletes rows that have the effect of an unused limit. */
export async function pruneLimits({ em }: Database): Promise<void> {
  const db = em.getKysely();
  for (let from: string | null = ''; from !== null; ) {
    const end: { rows: { key: string }[] } = await sql<{ key: string }>`
      select key from rate_limits where key > ${from} order by key offset ${stepSize - 1} limit 1`.execute(
      db,
    );
    const to = end.rows[0]?.key ?? null;
    // A `full_at` beyond the maximum was written before the clock was set back. It is lowered, because the row would
    // stay until then.
    await sql`
      with latest as (select floor(date_part('epoch', now()) * 1000) as now_ms)
      update rate_limits set full_at = (now_ms + burst * 60000.0) * per_minute from latest where ctid in (
        select ctid from rate_limits
        where key > ${from} and (key <= ${to}::text or ${to}::text is null)
          and full_at > (now_ms + burst * 60000.0) * per_minute
        for update skip locked
      )`.execute(db);
    await sql`
      delete from rate_limits where ctid in (
        select ctid from rate_limits
        where key > ${from} and (key <= ${to}::text or ${to}::text is null)
          and full_at <= floor(date_part('epoch', now()) * 1000) * per_minute
        for update skip locked
      )`.execute(db);
    from = to;
  }
}
