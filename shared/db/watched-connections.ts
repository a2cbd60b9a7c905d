import type pg from 'pg';

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
export function watchConnections(isAway: () => Promise<boolean>) {
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
