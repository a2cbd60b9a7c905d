import type pg from 'pg';
import { openPool, type SessionSettings } from './session.ts';

interface JobPoolOptions {
  settings?: SessionSettings;
  onBroken?: (error: Error) => void;
}

/**
 * Connections for Graphile Worker. It takes its listeners off a pool that it has made and ends, whose connections may
 * still break: an error that nobody hears ends the process. The caller ends this one.
 */
export function openJobPool(
  databaseUrl: string,
  { settings = {}, onBroken = () => {} }: JobPoolOptions = {},
): pg.Pool {
  const pool = openPool({
    connectionString: databaseUrl,
    application_name: 'job-queue',
    keepAlive: true,
    settings,
  });
  pool.on('error', onBroken);
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}
