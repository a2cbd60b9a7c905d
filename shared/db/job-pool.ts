import pg from 'pg';

/**
 * Connections for Graphile Worker. It takes its listeners off a pool that it has made and ends, whose connections may
 * still break: an error that nobody hears ends the process. The caller ends this one.
 */
export function openJobPool(databaseUrl: string, onBroken: (error: Error) => void = () => {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'job-queue',
    keepAlive: true,
  });
  pool.on('error', onBroken);
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}
