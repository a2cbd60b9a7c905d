import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { classifyDatabaseError, DatabaseBusyError, DatabaseUnavailableError } from './database-errors.ts';

/** Time limit for one server's answer, including the connection, in milliseconds. */
const askMs = 1_000;

/**
 * Time limit for one server's answer until one that accepts writes was found, in milliseconds. A process that starts on
 * a busy machine reads answers late, and would exit.
 */
const firstAskMs = 10_000;

/**
 * Time to wait for the other servers after one answered that it accepts writes, in milliseconds. An unreachable server
 * never answers.
 */
const patienceMs = 250;

/** Time for which a result is reused for new connections, in milliseconds. */
const holdsMs = 500;

/** Delay before a second query to servers that did not answer, in milliseconds. A busy one may miss the first. */
const pauseMs = 1_000;

interface ServerAddress {
  host: string;
  port: number;
}

/**
 * SQL for a server's timeline; 0 on a standby. Each promotion begins a new timeline, so of two servers that accept
 * writes, the one with the higher timeline is the primary.
 */
export const timelineSql = `select case when pg_is_in_recovery() then 0
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`;

/** Servers of a database URL, one of which accepts writes. */
export type Servers = ReturnType<typeof createServers>;

/**
 * Servers of this process by URL. Pools that are opened separately share them, so that all learn of a fail-over
 * together.
 */
const known = new Map<string, Servers>();

/**
 * Returns the servers of a database URL. Null if it names one host and does not require one that accepts writes;
 * connections then use that host without a check.
 */
export function serversOf(address = ''): Servers | null {
  if (!URL.canParse(address)) return null;
  const { searchParams } = new URL(address);
  const asks = searchParams.get('target_session_attrs') === 'read-write';
  if (!asks && !searchParams.has('others')) return null;
  const servers = known.get(address) ?? createServers(address);
  known.set(address, servers);
  return servers;
}

/**
 * Finds the server that accepts writes, for each new connection.
 *
 * The result is unknown at first. A new connection starts a search, which concurrent ones share. Its result, or its
 * error, is used for `holdsMs`; the next connection after that searches again. A result is discarded earlier if its
 * server turns out to be read-only or replaced. `watchConnections` closes connections whose server was replaced or is
 * unreachable.
 */
function createServers(address: string) {
  const first = new URL(address);
  const others = first.searchParams.get('others')?.split(',') ?? [];
  const addresses = [first, ...others.map((host) => new URL(`postgres://${host}`))].map(placeOf);
  let latest: { at: number; found: Promise<ServerAddress> } | undefined;
  let writer: ServerAddress | undefined;
  const seek = (): Promise<ServerAddress> => {
    if (latest && performance.now() - latest.at <= holdsMs) return latest.found;
    const found = look(address, addresses, connections, writer);
    latest = { at: Number.POSITIVE_INFINITY, found };
    const settle = () => {
      latest = { at: performance.now(), found };
    };
    found.then((server) => {
      writer = server;
      settle();
    }, settle);
    return found;
  };
  const isThere = () =>
    seek().then(
      () => true,
      (error) => error instanceof DatabaseBusyError,
    );
  const isUnavailable = async () =>
    !(await isThere()) && !(await delay(pauseMs, undefined, { ref: false }).then(isThere));
  const connections = watchConnections(isUnavailable);
  return {
    /** Finds the server to connect to; null if the URL names one host. */
    find: async (): Promise<ServerAddress | null> => (addresses.length === 1 ? null : seek()),
    /**
     * Registers an open connection, which is closed after another server takes over. Throws `DatabaseUnavailableError` if one
     * already did, or if the server is a standby.
     */
    keep(client: pg.Client, timeline: number) {
      if (connections.add(client, timeline)) return;
      latest = undefined;
      throw new DatabaseUnavailableError(
        'this database server is read-only: it is a standby, or another server has taken over',
      );
    },
  };
}

/**
 * Finds the server that accepts writes; of several, the one with the highest timeline. `writer` is the one last found.
 * Throws `DatabaseUnavailableError` if no server accepts writes, and `DatabaseBusyError` if the primary refuses connections.
 */
async function look(
  address: string,
  addresses: readonly ServerAddress[],
  connections: ReturnType<typeof watchConnections>,
  writer: ServerAddress | undefined,
): Promise<ServerAddress> {
  const writers: { place: ServerAddress; timeline: number }[] = [];
  const one = Promise.withResolvers<void>();
  const probe = async (server: ServerAddress) => {
    const timeline = await askTimeline(address, server, writer ? askMs : firstAskMs);
    if (timeline === 0) throw new Error('is a standby');
    if (timeline < connections.newest()) throw new Error('replaced by another server (fail-over)');
    writers.push({ place: server, timeline });
    one.resolve();
  };
  const all = Promise.allSettled(addresses.map(probe));
  await Promise.race([all, one.promise.then(() => delay(patienceMs, undefined, { ref: false }))]);
  const [best] = writers.toSorted((a, b) => b.timeline - a.timeline);
  if (best) {
    connections.note(best.timeline);
    return best.place;
  }
  const reasons = (await all).map((answer) => (answer.status === 'rejected' ? answer.reason : ''));
  const told = reasons
    .map((reason, at) => `${addresses[at]?.host}:${addresses[at]?.port}: ${reason}`)
    .join(', ');
  // The primary runs but refuses connections: it has no free ones, or the password changed. A refusal of another server
  // does not show anything about the primary.
  const isClosed = (reason: unknown, at: number) =>
    reason instanceof pg.DatabaseError &&
    classifyDatabaseError(reason) !== 'away' &&
    (addresses.length === 1 || addresses[at] === writer);
  if (reasons.some(isClosed))
    throw new DatabaseBusyError(`the primary database server refuses connections: ${told}`);
  throw new DatabaseUnavailableError(`no database server accepts writes: ${told}`);
}

const placeOf = ({ hostname, port }: URL): ServerAddress => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || 5_432),
});

async function askTimeline(
  address: string,
  { host, port }: ServerAddress,
  timeoutMs: number,
): Promise<number> {
  const own = new URL(address);
  // The parameters `host` and `port` would override the host of the URL.
  own.searchParams.delete('host');
  own.searchParams.delete('port');
  own.host = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const client = new pg.Client({
    connectionString: own.href,
    application_name: 'find-primary',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // Without a listener, an error of the connection would end the process. The statement fails with it anyway.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: number }>(timelineSql);
    return rows[0]?.timeline ?? 0;
  } finally {
    client.end().catch(() => {});
  }
}

/** Interval between checks for statements without an answer, in milliseconds. */
const watchMs = 1_000;

interface Connection {
  client: pg.Client;
  timeline: number;
  /** Statement that had no answer at the last check; null if there was none. */
  waiting: unknown;
}

/**
 * Closes connections that would otherwise wait for a server that cannot answer correctly.
 *
 * States of a connection: registered, then either ended by its user or closed here. It is closed in two cases:
 * - a connection with a higher timeline is registered, or `note` reports one: another server took over;
 * - a statement of any connection has no answer at two checks, `isUnavailable` finds no server that accepts writes, and no
 *   statement was answered since then. All connections that were registered at the second check are then closed.
 *
 * The checks run once a second while any connection is registered.
 */
function watchConnections(isUnavailable: () => Promise<boolean>) {
  const connections = new Set<Connection>();
  let newest = 0;
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  /** Breaks connections, because their statements could wait for ever. */
  const breakOff = (isMeant: (connection: Connection) => boolean, why: string) => {
    for (const connection of connections) {
      if (!isMeant(connection)) continue;
      // An idle connection has no listener, and an error without a listener would end the process. Its next statement
      // fails.
      connection.client.on('error', () => {});
      // The message begins like pg's own for a broken connection: the statement may have been executed.
      connection.client.connection.stream.destroy(new Error(`Connection terminated: ${why}`));
    }
  };

  /** Statements on a replaced server would be answered from data that exists on that server alone. */
  const note = (timeline: number) => {
    newest = Math.max(newest, timeline);
    breakOff((connection) => connection.timeline < newest, 'another database server has taken over');
  };

  /** A frozen or unreachable server does not close its connections. */
  const watch = async () => {
    let isStuck = false;
    for (const connection of connections) {
      const active = activeOf(connection);
      isStuck ||= active !== null && active === connection.waiting;
      connection.waiting = active;
    }
    if (!isStuck || isAsking) return;
    isAsking = true;
    const probed = new Map([...connections].map((connection) => [connection, activeOf(connection)]));
    const isAnswered = ([connection, active]: [Connection, unknown]) =>
      active !== null && connections.has(connection) && activeOf(connection) !== active;
    if ((await isUnavailable()) && ![...probed].some(isAnswered))
      breakOff((connection) => probed.has(connection), 'no database server accepts writes');
    isAsking = false;
  };

  return {
    newest: () => newest,
    note,
    /** Registers a connection. Returns false if the server is a standby or was replaced. */
    add(client: pg.Client, timeline: number): boolean {
      if (timeline === 0 || timeline < newest) return false;
      const connection = { client, timeline, waiting: null };
      connections.add(connection);
      timer ??= setInterval(watch, watchMs).unref();
      client.once('end', () => {
        connections.delete(connection);
        if (connections.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      note(timeline);
      return true;
    },
  };
}

/** Returns the statement that waits for its answer. pg has no public property for it. */
const activeOf = ({ client }: Connection): unknown => Reflect.get(client, '_activeQuery');
