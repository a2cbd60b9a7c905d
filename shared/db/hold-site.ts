import { Client } from './client.ts';
import { locks } from './lock.ts';
import { DatabaseBusyError } from './troubles.ts';
import type { Waits } from './waits.ts';

/** A site that nobody else holds, in any process, until it is disposed of or the process dies. */
interface HeldSite extends AsyncDisposable {
  /** Aborted when others can hold the site nonetheless, since the connection broke that held it. */
  lost: AbortSignal;
}

interface Connecting {
  url: string;
  applicationName: string;
  waits?: Waits | undefined;
}

/** Holds a site, or gives null when somebody else does for longer than `waitMs`. */
type HoldSite = (siteId: string, waitMs: number) => Promise<HeldSite | null>;

const signOfLifeMs = 20_000;

/**
 * Each site is held by a lock of a connection of its own: it may last for an hour, which would be too long for a
 * transaction, and for a connection of the pool.
 */
export const createHoldSite =
  ({ url, applicationName, waits }: Connecting): HoldSite =>
  async (siteId, waitMs) => {
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
    // By these it is noticed when the connection is gone without a word, and no firewall ends it for being silent.
    const sign = setInterval(() => void client.query('select').catch(() => {}), signOfLifeMs);
    const release = async () => {
      clearInterval(sign);
      // What fails here ends with the connection.
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

/** PostgreSQL's answer after the time for a lock. */
const isHeld = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';
