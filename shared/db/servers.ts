import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseAwayError } from './troubles.ts';

/** How long one server may take to say whether it takes writes: to connect, and to answer. */
const askMs = 1_000;

/** How long the others are waited for once one has said that it does: one that can't be reached says nothing. */
const patienceMs = 250;

/** What was found holds for so long for who connects next. */
const holdsMs = 500;

/** How often it is looked whether a statement of a connection is still without an answer. */
const watchMs = 1_000;

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

interface Session {
  client: pg.Client;
  timeline: number;
  /** Its statement that had no answer when it was last looked at. */
  waiting: unknown;
}

function createServers(address: string) {
  const first = new URL(address);
  const others = first.searchParams.get('others')?.split(',') ?? [];
  const places = [first, ...others.map((host) => new URL(`postgres://${host}`))].map(placeOf);
  const [only] = places.length === 1 ? places : [];
  let latest: { at: number; found: Promise<Place> } | undefined;
  const find = (): Promise<Place> => {
    if (only) return Promise.resolve(only);
    if (!latest || performance.now() - latest.at > holdsMs) {
      const found = look({ address, places, sessions });
      latest = { at: Number.POSITIVE_INFINITY, found };
      const settle = () => {
        latest = { at: performance.now(), found };
      };
      found.then(settle, settle);
    }
    return latest.found;
  };
  // A proxy ends them by itself.
  const onStuck = only ? null : () => void find().catch(() => {});
  const sessions = createSessions(onStuck);
  return {
    /** Where to connect to. */
    find,
    /** Takes a connection that is open, and ends it once another server has taken over. Throws when one has already. */
    keep(client: pg.Client, timeline: number) {
      if (sessions.add(client, timeline)) return;
      latest = undefined;
      throw new DatabaseAwayError('the server takes no writes: it is a standby, or another has taken over');
    },
  };
}

/** The connections of this process, and the highest timeline that it knows of. */
function createSessions(onStuck: (() => void) | null) {
  const sessions = new Set<Session>();
  let newest = 0;
  let timer: NodeJS.Timeout | undefined;

  /** What is under way on a server that was replaced would wait for it, or be answered by what it alone holds. */
  const note = (timeline: number) => {
    newest = Math.max(newest, timeline);
    for (const { client, timeline: own } of sessions)
      if (own < newest) client.connection.stream.destroy(replaced());
  };

  /** A server that stands still ends no connection: whoever waits for an answer has it looked whether another took over. */
  const watch = () => {
    let isStuck = false;
    for (const session of sessions) {
      // pg shows its statement in no other way.
      const active: unknown = Reflect.get(session.client, '_activeQuery');
      isStuck ||= active !== null && active === session.waiting;
      session.waiting = active;
    }
    if (isStuck) onStuck?.();
  };

  return {
    newest: () => newest,
    note,
    /** False when the server is a standby, or another has taken over from it. */
    add(client: pg.Client, timeline: number): boolean {
      if (timeline === 0 || timeline < newest) return false;
      const session = { client, timeline, waiting: null };
      sessions.add(session);
      if (onStuck) timer ??= setInterval(watch, watchMs).unref();
      client.once('end', () => {
        sessions.delete(session);
        if (sessions.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      note(timeline);
      return true;
    },
  };
}

/** Begins as pg does of a connection that broke: what was under way may have been done. */
const replaced = () => new Error('Connection terminated: another server has taken over');

interface Looking {
  address: string;
  places: readonly Place[];
  sessions: ReturnType<typeof createSessions>;
}

/** The server that takes writes; of several, the one with the highest timeline. */
async function look({ address, places, sessions }: Looking): Promise<Place> {
  const writers: { place: Place; timeline: number }[] = [];
  const one = Promise.withResolvers<void>();
  const ask = async (place: Place) => {
    const timeline = await askTimeline(address, place);
    if (timeline === 0) throw new Error('it is a standby');
    if (timeline < sessions.newest()) throw new Error('another server has taken over from it');
    writers.push({ place, timeline });
    one.resolve();
  };
  const all = Promise.allSettled(places.map(ask));
  await Promise.race([all, one.promise.then(() => delay(patienceMs, undefined, { ref: false }))]);
  const [best] = writers.toSorted((a, b) => b.timeline - a.timeline);
  if (best) {
    sessions.note(best.timeline);
    return best.place;
  }
  const reasons = (await all).map(
    (answer, at) =>
      `${places[at]?.host}:${places[at]?.port}: ${answer.status === 'rejected' ? answer.reason : ''}`,
  );
  throw new DatabaseAwayError(`none of its servers takes writes: ${reasons.join(', ')}`);
}

const placeOf = ({ hostname, port }: URL): Place => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: Number(port || 5_432),
});

async function askTimeline(address: string, { host, port }: Place): Promise<number> {
  const own = new URL(address);
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
