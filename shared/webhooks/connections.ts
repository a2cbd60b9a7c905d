import type { Socket } from 'node:net';
import { type buildConnector, Client, errors } from 'undici';
import { answerLimit, type WebhookAnswer, watchAnswer } from './answer.ts';
import { type ConnectDeps, createConnect } from './connect.ts';

/** An idle connection ends after this time, however long its receiver offers to keep it. */
const idleLimitMs = 60_000;

/** What carries one request at a time to an origin, and is used again when its answer has ended. */
export interface Connection {
  origin: string;
  client: Client;
  answer: WebhookAnswer;
}

export interface Connections {
  /** An idle connection to the origin, or a new one. Throws when all have been closed. */
  take(origin: string): Connection;
  /** Keeps a connection whose answer has ended for the next request. */
  giveBack(connection: Connection): void;
  /** Ends a connection that is not to be used again. */
  drop(connection: Connection): void;
  /** Ends all connections at once; requests on their way fail. */
  close(): Promise<void>;
}

/** undici's own pools don't tell which connection carries a request, and with that whose answer comes on it. */
export function createConnections(deps: ConnectDeps): Connections {
  const connect = createConnect(deps);
  const idle = new Map<string, Set<Connection>>();
  const open = new Set<Connection>();
  let closed = false;

  function start(origin: string): Connection {
    const answer = watchAnswer();
    const client = new Client(origin, {
      connect: bounding(connect, answer),
      allowH2: false,
      maxHeaderSize: answerLimit,
      keepAliveMaxTimeout: idleLimitMs,
      // One timer of the sender's covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { origin, client, answer };
    open.add(connection);
    // One that is in use may connect anew, or fails its request, whose sender then drops it.
    client.on('disconnect', () => takeOutIdle(connection) && drop(connection));
    return connection;
  }

  function takeOutIdle(connection: Connection): boolean {
    const same = idle.get(connection.origin);
    const found = same?.delete(connection) ?? false;
    if (same?.size === 0) idle.delete(connection.origin);
    return found;
  }

  function drop(connection: Connection) {
    open.delete(connection);
    // It rejects when it was destroyed before.
    connection.client.destroy().catch(() => {});
  }

  return {
    take(origin) {
      if (closed) throw new errors.ClientDestroyedError();
      const [kept] = idle.get(origin) ?? [];
      if (!kept) return start(origin);
      takeOutIdle(kept);
      return kept;
    },
    giveBack(connection) {
      if (!open.has(connection)) return;
      const same = idle.get(connection.origin) ?? new Set();
      idle.set(connection.origin, same.add(connection));
    },
    drop,
    async close() {
      closed = true;
      await Promise.all([...open].map(({ client }) => client.destroy()));
      open.clear();
      idle.clear();
    },
  };
}

const bounding =
  (connect: buildConnector.connector, answer: WebhookAnswer): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const socket: Socket | null = result[1];
      if (socket) answer.bound(socket);
      callback(...result);
    });
