import type pg from 'pg';

/** How often it is looked whether a statement of a connection is still without an answer. */
const watchMs = 1_000;

interface Connection {
  client: pg.Client;
  timeline: number;
  /** Its statement that had no answer when it was last looked at. */
  waiting: unknown;
}

/** The connections of this process, and the highest timeline that it knows of. */
export function watchConnections(onStuck: (() => void) | null) {
  const connections = new Set<Connection>();
  let newest = 0;
  let timer: NodeJS.Timeout | undefined;

  /** What is under way on a server that was replaced would wait for it, or be answered by what it alone holds. */
  const note = (timeline: number) => {
    newest = Math.max(newest, timeline);
    for (const { client, timeline: own } of connections) {
      if (own >= newest) continue;
      // Of those that nobody lends it would end the process; what they are asked next fails.
      client.on('error', () => {});
      client.connection.stream.destroy(replaced());
    }
  };

  /** A server that stands still ends no connection: whoever waits for an answer has it looked whether another took over. */
  const watch = () => {
    let isStuck = false;
    for (const connection of connections) {
      // pg shows its statement in no other way.
      const active: unknown = Reflect.get(connection.client, '_activeQuery');
      isStuck ||= active !== null && active === connection.waiting;
      connection.waiting = active;
    }
    if (isStuck) onStuck?.();
  };

  return {
    newest: () => newest,
    note,
    /** False when the server is a standby, or another has taken over from it. */
    add(client: pg.Client, timeline: number): boolean {
      if (timeline === 0 || timeline < newest) return false;
      const connection = { client, timeline, waiting: null };
      connections.add(connection);
      if (onStuck) timer ??= setInterval(watch, watchMs).unref();
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

/** Begins as pg does of a connection that broke: what was under way may have been done. */
const replaced = () => new Error('Connection terminated: another server has taken over');
