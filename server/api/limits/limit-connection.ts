import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { openPool } from '../../../shared/db/session.ts';
import { within } from '../../../shared/runtime/timeouts.ts';

/** How long a statement about limits is waited for, the way to the database included; a request waits as long. */
const timeoutMs = 2_000;

/** After that a connection whose statement is still under way is broken off. */
const breakOffMs = 2_500;

/** How often a database that did not answer is asked whether it does again. */
const probeMs = 250;

/** The database did not answer, or has not answered yet since it did not. */
export class LimitsAwayError extends Error {
  override name = 'LimitsAwayError';
}

const noAnswer = () => new LimitsAwayError(`timed out: no answer within ${timeoutMs} ms`);

export interface LimitConnection extends AsyncDisposable {
  /** Throws `LimitsAwayError`, at once while the database is known not to answer. */
  query<Row extends object>(statement: pg.QueryConfig): Promise<readonly Row[]>;
  /** Asked on each new connection for what comes first there. What of it fails is logged, and left. */
  beginWith(statements: () => readonly pg.QueryConfig[]): void;
}

/**
 * A connection for rate limits alone, so that whatever fills the pool holds up no request before it has begun. It is made
 * when first needed, and again when it breaks.
 */
export function openLimitConnection(databaseUrl: string, logger: FastifyBaseLogger): LimitConnection {
  let first: () => readonly pg.QueryConfig[] = () => [];
  const pool = openLimitPool(databaseUrl, async (client) => {
    try {
      for (const statement of first()) await client.query(statement);
    } catch (err) {
      logger.warn({ err }, 'restoring rate limit counters failed; some clients start with a full limit');
    }
  });
  let probing: NodeJS.Timeout | undefined;
  const ask = <Row extends object>(statement: pg.QueryConfig) =>
    within(timeoutMs, pool.query<Row>(statement), noAnswer);

  const goAway = (err: unknown) => {
    if (probing) return;
    logger.error(
      { err },
      'database unavailable for rate limits; requests are allowed uncounted until it is back',
    );
    probing = setTimeout(probe, probeMs).unref();
  };
  const probe = async () => {
    try {
      // A database that can be read may yet take no writes.
      await ask({ text: 'update rate_limits set key = key where false' });
      probing = undefined;
      logger.info('database available again; rate limits are enforced');
    } catch {
      probing = setTimeout(probe, probeMs).unref();
    }
  };
  return {
    async query<Row extends object>(statement: pg.QueryConfig) {
      if (probing) throw new LimitsAwayError('database unavailable since an earlier request');
      try {
        const { rows } = await ask<Row>(statement).catch((error) => {
          // A connection can break though the database is there: it ended this one, or was started again.
          if (error instanceof LimitsAwayError) throw error;
          return ask<Row>(statement);
        });
        return rows;
      } catch (cause) {
        goAway(cause);
        throw new LimitsAwayError('database unavailable', { cause });
      }
    },
    beginWith(statements) {
      first = statements;
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(probing);
      await pool.end();
    },
  };
}

function openLimitPool(connectionString: string, onConnect: (client: pg.ClientBase) => Promise<void>) {
  const pool = openPool({
    connectionString,
    application_name: 'rate-limits',
    max: 1,
    idleTimeoutMillis: 0,
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: breakOffMs,
    settings: { statement_timeout: timeoutMs, synchronous_commit: 'off', enable_seqscan: 'off' },
    onConnect,
  });
  // Of a connection that breaks while nothing is asked: the next question makes another.
  pool.on('error', () => {});
  return pool;
}
