import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { openPool } from '../../../shared/db/session.ts';
import { within } from '../../../shared/runtime/timeouts.ts';

/** Timeout of a limit statement, in milliseconds, including the network. A request may wait for several of them. */
const timeoutMs = 2_000;

/** Time after which a connection with a running statement is closed, in milliseconds. */
const breakOffMs = 2_500;

/** Interval of probes while the database does not answer, in milliseconds. */
const probeMs = 250;

/** Error of a database that does not answer, or that no probe has reached since. */
export class LimitsUnavailableError extends Error {
  override name = 'LimitsUnavailableError';
}

const noAnswer = () => new LimitsUnavailableError(`timed out: no answer within ${timeoutMs} ms`);

export interface LimitConnection extends AsyncDisposable {
  /** Throws `LimitsUnavailableError`, immediately if the database is known to be unavailable. */
  query<Row extends object>(statement: pg.QueryConfig): Promise<readonly Row[]>;
  /** Sets a function that returns the first statements of each new connection. Their errors are logged and ignored. */
  beginWith(statements: () => readonly pg.QueryConfig[]): void;
}

/**
 * Opens a connection for rate limits alone, so that a full connection pool does not delay the start of requests. It opens
 * on first use, and again after it breaks. `query` throws `LimitsUnavailableError` if the database does not answer twice,
 * and until a probe succeeds.
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
  const query = <Row extends object>(statement: pg.QueryConfig) =>
    within(timeoutMs, pool.query<Row>(statement), noAnswer);

  const markUnavailable = (err: unknown) => {
    if (probing) return;
    logger.error(
      { err },
      'database unavailable for rate limits; requests are allowed uncounted until it is back',
    );
    probing = setTimeout(probe, probeMs).unref();
  };
  const probe = async () => {
    try {
      // A database that can be read may still refuse writes.
      await query({ text: 'update rate_limits set key = key where false' });
      probing = undefined;
      logger.info('database available again; rate limits are enforced');
    } catch {
      probing = setTimeout(probe, probeMs).unref();
    }
  };
  return {
    async query<Row extends object>(statement: pg.QueryConfig) {
      if (probing) throw new LimitsUnavailableError('database unavailable since an earlier request');
      try {
        const { rows } = await query<Row>(statement).catch((error) => {
          // The connection may have broken while the database is available, for example after a restart.
          if (error instanceof LimitsUnavailableError) throw error;
          return query<Row>(statement);
        });
        return rows;
      } catch (cause) {
        markUnavailable(cause);
        throw new LimitsUnavailableError('database unavailable', { cause });
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
  // Ignores errors of an idle connection: the next query opens another.
  pool.on('error', () => {});
  return pool;
}
