import pg from 'pg';
import type { WorkerDeps } from './deps.ts';

/** As many as jobs under way at once. */
const poolSize = 10;

/**
 * Graphile Worker takes its listeners off a pool that it has made and ends, whose connections may still break: an error
 * that nobody hears ends the process.
 */
export function openJobPool({ databaseUrl, logger }: WorkerDeps): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withoutWaitingForDisk(databaseUrl),
    max: poolSize,
    application_name: 'worker-jobs',
    keepAlive: true,
  });
  const note = (err: Error) => logger.debug({ err }, 'a connection of the job queue broke');
  pool.on('error', note);
  pool.on('connect', (client) => client.on('error', note));
  return pool;
}

/** For connections whose commits may be lost with the power: a job that comes back only finds nothing left to do. */
function withoutWaitingForDisk(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const own = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${own} -c synchronous_commit=off`.trim());
  return url.href;
}
