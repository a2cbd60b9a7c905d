import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseAwayError, DatabaseBusyError, troubleOf } from './troubles.ts';

/** How long one server may take to say whether it takes writes: to connect, and to answer. */
const askMs = 1_000;

/** How long the others are waited for once one has said that it does: one that can't be reached says nothing. */
const patienceMs = 250;

/** What was found holds for so long for who connects next. */
const holdsMs = 500;

/** After so long a server that did not answer is asked again: one that is busy may miss one question. */
const pauseMs = 1_000;

interface Place {
  host: string;
  port: number;
}

/** 0 of a standby. Each promotion begins a timeline, so of two that take writes the higher one counts. */
export const timelineSql = `select case when pg_is_in_recovery() then 0
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end as timeline`;

/** The servers of an address, of which one takes writes. */
export type Servers = ReturnType<typeof createServers>;

/** Of this process: what one of its pools learns of a fail-over all others know, though they are opened apart. */
const known = new Map<string, Servers>();

/** Null for an address of one host that does not ask for one that takes writes: whatever is there is used. */
export function serversOf(address = ''): Servers | null {
  if (!URL.canParse(address)) return null;
  const { searchParams } = new URL(address);
  const asks = searchParams.get('target_session_attrs') === 'read-write';
  if (!asks && !searchParams.has('others')) return null;
  const servers = known.get(address) ?? createServers(address);
  known.set(address, servers);
  return servers;
}

function createServers(address: string) {
  const first = new URL(address);
  const others = first.searchParams.get('others')?.split(',') ?? [];
  const places = [first, ...others.map((host) => new URL(`postgres://${host}`))].map(placeOf);
  let latest: { at: number; found: Promise<Place> } | undefined;
  let writer: Place | undefined;
  const seek = (): Promise<Place> => {
    if (latest && performance.now() - latest.at <= holdsMs) return latest.found;
    const found = look(address, places, connections, writer);
    latest = { at: Number.POSITIVE_INFINITY, found };
    const settle = () => {
      latest = { at: performance.now(), found };
    };
    found.then((place) => {
      writer = place;
      settle();
    }, settle);
    return found;
  };
  const isThere = () =>
    seek().then(
      () => true,
      (error) => error instanceof DatabaseBusyError,
    );
  const isAway = async () =>
    !(await isThere()) && !(await delay(pauseMs, undefined, { ref: false }).then(isThere));
  const connections = watchConnections(isAway);
  return {
    /** Where to connect to; null where the address says it. */
    find: async (): Promise<Place | null> => (places.length === 1 ? null : seek()),
    /** Takes a connection that is open, and ends it once another server has taken over. Throws when one has already. */
    keep(client: pg.Client, timeline: number) {
      if (connections.add(client, timeline)) return;
      latest = undefined;
      throw new DatabaseAwayError(
        'this database server is read-only: it is a standby, or another server has taken over',
      );
    },
  };
}

/**
 * Finds the server that accepts writes; of several, the one with the highest timeline. `writer` is the one last found. Throws if no
 * server accepts writes, or if the primary refuses connections.
 */
async function look(
  address: string,
  places: readonly Place[],
  connections: ReturnType<typeof watchConnections>,
  writer: Place | undefined,
): Promise<Place> {
  const writers: { place: Place; timeline: number }[] = [];
  const one = Promise.withResolvers<void>();
  const ask = async (place: Place) => {
    const timeline = await askTimeline(address, place);
    if (timeline === 0) throw new Error('is a standby');
    if (timeline < connections.newest()) throw new Error('replaced by another server (fail-over)');
    writers.push({ place, timeline });
    one.resolve();
  };
  const all = Promise.allSettled(places.map(ask));
  await Promise.race([all, one.promise.then(() => delay(patienceMs, undefined, { ref: false }))]);
  const [best] = writers.toSorted((a, b) => b.timeline - a.timeline);
  if (best) {
    connections.note(best.timeline);
    return best.place;
  }
  const reasons = (await all).map((answer) => (answer.status === 'rejected' ? answer.reason : ''));
  const told = reasons.map((reason, at) => `${places[at]?.host}:${places[at]?.port}: ${reason}`).join(', ');
  // It lets nobody in for now: it has no room, or other passwords. A standby that does so says nothing of the one that writes.
  const isClosed = (reason: unknown, at: number) =>
    reason instanceof pg.DatabaseError &&
    troubleOf(reason) !== 'away' &&
    (places.length === 1 || places[at] === writer);
  if (reasons.some(isClosed))
    throw new DatabaseBusyError(`the primary database server refuses connections: ${told}`);
  throw new DatabaseAwayError(`no database server accepts writes: ${told}`);
}

const placeOf = ({ hostname, port }: URL): Place => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || 5_432),
});

async function askTimeline(address: string, { host, port }: Place): Promise<number> {
  const own = new URL(address);
  // Either would stand above it.
  own.searchParams.delete('host');
  own.searchParams.delete('port');
  own.host = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const client = new pg.Client({
    connectionString: own.href,
    application_name: 'find-primary',
    connectionTimeoutMillis: askMs,
    query_timeout: askMs,
  });
  // What breaks it fails the statement, too.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: number }>(timelineSql);
    return rows[0]?.timeline ?? 0;
  } finally {
    client.end().catch(() => {});
  }
}

/** How often it is looked whether a statement of a connection is still without an answer. */
const watchMs = 1_000;

interface Connection {
  client: pg.Client;
  timeline: number;
  /** Its statement that had no answer when it was last looked at. */
  waiting: unknown;
}

/**
 * The connections of this process, and the highest timeline that it knows of. `isAway` is asked while a statement waits for
 * its answer: whether no server takes writes. Where another statement is answered meanwhile, one does.
 */
function watchConnections(isAway: () => Promise<boolean>) {
  const connections = new Set<Connection>();
  let newest = 0;
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  /** What is under way would wait for a server that may never answer. */
  const breakOff = (isMeant: (connection: Connection) => boolean, why: string) => {
    for (const connection of connections) {
      if (!isMeant(connection)) continue;
      // Of those that nobody lends it would end the process; what they are asked next fails.
      connection.client.on('error', () => {});
      // Begins as pg does of a connection that broke: what was under way may have been done.
      connection.client.connection.stream.destroy(new Error(`Connection terminated: ${why}`));
    }
  };

  /** What is under way on a server that was replaced would be answered by what it alone holds. */
  const note = (timeline: number) => {
    newest = Math.max(newest, timeline);
    breakOff((connection) => connection.timeline < newest, 'another database server has taken over');
  };

  /** A server that stands still, or can't be reached any more, ends no connection. */
  const watch = async () => {
    let isStuck = false;
    for (const connection of connections) {
      const active = activeOf(connection);
      isStuck ||= active !== null && active === connection.waiting;
      connection.waiting = active;
    }
    if (!isStuck || isAsking) return;
    isAsking = true;
    const asked = new Map([...connections].map((connection) => [connection, activeOf(connection)]));
    const isAnswered = ([connection, active]: [Connection, unknown]) =>
      active !== null && connections.has(connection) && activeOf(connection) !== active;
    if ((await isAway()) && ![...asked].some(isAnswered))
      breakOff((connection) => asked.has(connection), 'no database server accepts writes');
    isAsking = false;
  };

  return {
    newest: () => newest,
    note,
    /** False when the server is a standby, or another has taken over from it. */
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

/** Its statement that waits for its answer; pg shows it in no other way. */
const activeOf = ({ client }: Connection): unknown => Reflect.get(client, '_activeQuery');
