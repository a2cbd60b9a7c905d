import type { FastifyBaseLogger } from 'fastify';
import { sql } from 'kysely';
import type { Database } from '../../../shared/db/config.ts';

/** Rows that one statement looks at, so that no lock is held for long. */
const stepSize = 5_000;

const everyMs = 60_000;

/** Prunes once a minute, in each process: what one has removed costs the others nothing. */
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

/** Removes the rows that say nothing any more: their subjects have used nothing that would not be there again. */
export async function pruneLimits({ em }: Database): Promise<void> {
  const db = em.getKysely();
  for (let from: string | null = ''; from !== null; ) {
    const end: { rows: { key: string }[] } = await sql<{ key: string }>`
      select key from rate_limits where key > ${from} order by key offset ${stepSize - 1} limit 1`.execute(
      db,
    );
    const to = end.rows[0]?.key ?? null;
    // What lies further ahead than anything counts was written before the clock was set back, and would stay until then.
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
