import type { Socket } from 'node:net';
import { type buildConnector, Client, errors } from 'undici';
import { type ConnectDeps, createConnect } from './connect.ts';
import { answerLimit, type WebhookAnswer, watchAnswer } from './read-response.ts';

/** Maximum time that an idle connection stays open, in milliseconds, even if the receiver offers more. */
const idleLimitMs = 60_000;

/** Connection to an origin. It carries one request at a time and is reused after the response has ended. */
export interface WebhookConnection {
  origin: string;
  client: Client;
  answer: WebhookAnswer;
}

export interface Connections {
  /** Returns an idle connection to the origin, or a new one. Throws after `close`. */
  take(origin: string): WebhookConnection;
  /** Returns a connection whose response has ended to the pool. */
  giveBack(connection: WebhookConnection): void;
  /** Closes a connection that must not be reused. */
  drop(connection: WebhookConnection): void;
  /** Closes all connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

/**
 * Creates the connection pool of the webhook sender.
 *
 * A connection is in use from `take` until its response has ended. Then it is idle for at most 60 s, and is reused by the
 * next request to its origin. It closes after a failure or an incomplete response, or if the receiver disconnects.
 *
 * undici's own pools do not reveal which connection carries a request, which is needed to observe its response.
 */
export function createConnections(deps: ConnectDeps): Connections {
  const connect = createConnect(deps);
  const idle = new Map<string, Set<WebhookConnection>>();
  const open = new Set<WebhookConnection>();
  let closed = false;

  function start(origin: string): WebhookConnection {
    const answer = watchAnswer();
    const client = new Client(origin, {
      connect: bounding(connect, answer),
      allowH2: false,
      maxHeaderSize: answerLimit,
      keepAliveMaxTimeout: idleLimitMs,
      // The client's own timeouts are off, because the sender has one timer for the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { origin, client, answer };
    open.add(connection);
    // A connection in use may reconnect, or fails its request, and the sender drops it.
    client.on('disconnect', () => takeOutIdle(connection) && drop(connection));
    return connection;
  }

  function takeOutIdle(connection: WebhookConnection): boolean {
    const same = idle.get(connection.origin);
    const found = same?.delete(connection) ?? false;
    if (same?.size === 0) idle.delete(connection.origin);
    return found;
  }

  function drop(connection: WebhookConnection) {
    open.delete(connection);
    // `destroy` rejects if the connection was destroyed before.
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
