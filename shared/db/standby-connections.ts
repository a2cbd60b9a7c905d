import { Client, typedValues } from './client.ts';
import type { SessionSettings } from './session.ts';
import type { Waits } from './waits.ts';
import type { StandbyState } from './wal-position.ts';

export interface StandbyOptions {
  url: string;
  /** Most connections to it. */
  poolSize: number;
  settings: SessionSettings;
  /** Which cluster it is to be a standby of, as PostgreSQL names it. */
  system: string;
  /** Told why it isn't read, each time that this begins. */
  onAway(reason: Error): void;
}

/** A connection to a standby. */
export interface StandbyConnection {
  client: Client;
  /** What was said last: since then it can only have gone on, for a standby that goes back ends all connections. */
  last: StandbyState;
}

/** Between attempts to reach one that could not be reached. */
const pauseMs = 1_000;

/** Reads that take longer are the primary's, and a standby that says nothing at all is taken for dead. */
export const standbyWaits: Waits = {
  connectionMs: 3_000,
  lockMs: 500,
  readMs: 500,
  transactionMs: 500,
  silenceMs: 500,
};

/** Connections to a standby. Nobody waits for one: they are made, and made again, beside what is asked. */
export function openStandbyConnections(options: StandbyOptions) {
  const idle: StandbyConnection[] = [];
  const clients = new Set<Client>();
  let isOpening = false;
  let isAway = false;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  async function open() {
    if (isOpening || isClosed || retry || clients.size >= options.poolSize) return;
    isOpening = true;
    try {
      const client = await connect(options);
      isAway = false;
      clients.add(client);
      client.once('end', () => {
        clients.delete(client);
        const at = idle.findIndex((connection) => connection.client === client);
        if (at >= 0) idle.splice(at, 1);
      });
      giveBack({ client, last: unknownState });
    } catch (cause) {
      leave(cause);
    } finally {
      isOpening = false;
    }
  }

  /** All connections are given up; new ones are made once it answers again. */
  function leave(cause: unknown) {
    if (isClosed) return;
    if (!isAway) options.onAway(cause instanceof Error ? cause : new Error(String(cause)));
    isAway = true;
    for (const { client } of idle.splice(0)) client.connection.stream.destroy();
    clearTimeout(retry);
    retry = setTimeout(() => {
      retry = undefined;
      open();
    }, pauseMs).unref();
  }

  function giveBack(connection: StandbyConnection) {
    if (!clients.has(connection.client)) return;
    if (isAway || isClosed) connection.client.connection.stream.destroy();
    else idle.push(connection);
  }

  open();
  return {
    /** One more, if there may be. */
    open,
    hasIdle: () => idle.length > 0,
    take: () => idle.pop(),
    giveBack,
    leave,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      // Nothing is left to be done there, and a host that is gone would take no leave.
      for (const client of clients) client.connection.stream.destroy();
    },
  };
}

/** Of one that hasn't said anything. */
export const unknownState: StandbyState = { is_standby: false, bytes: null, timeline: null };

async function connect({ url, settings, system }: StandbyOptions) {
  const client = new Client({
    ...{ connectionString: url, application_name: 'server', types: typedValues(), keepAlive: true },
    ...{ settings, waits: standbyWaits, connectionTimeoutMillis: standbyWaits.connectionMs },
  });
  await client.connect();
  // Whoever asks hears of it.
  client.on('error', () => {});
  try {
    const { rows } = await client.query<Introduction>(introduction);
    refuseStranger(rows[0], system);
    return client;
  } catch (cause) {
    client.connection.stream.destroy();
    throw cause;
  }
}

interface Introduction {
  system: string;
  is_standby: boolean;
  tells: boolean;
}

const introduction = `select system_identifier::text as system, pg_is_in_recovery() as is_standby, pg_has_role('pg_read_all_stats', 'usage') as tells
  from pg_control_system()`;

function refuseStranger(found: Introduction | undefined, system: string) {
  if (found?.system !== system) throw new Error('it is no standby of the database at DATABASE_URL');
  if (!found.is_standby) throw new Error('it is no standby: it takes writes');
  if (!found.tells)
    throw new Error('it does not say what it follows: `grant pg_read_all_stats` to its user, on the primary');
}
