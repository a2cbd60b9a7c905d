import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { LatestAnswers } from './malformed-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** True while the server is ending: each answer is the last one of its connection. */
    isEnding: boolean;
  }
}

/** Maximum time for accepting waiting connections, in milliseconds. */
const takingMs = 2_000;

/** Number of event loop turns without a new connection after which none is waiting. */
const quietTurns = 3;

/**
 * Ends kept-alive connections when the server stops, because they would delay its end. Later answers have `Connection:
 * close`. A connection whose answer already began is ended after it.
 */
export function endConnectionsWhenEnding(app: FastifyInstance, latest: LatestAnswers) {
  const { server } = app;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Node's own method cuts off answers that are completely written but wait for a slow reader.
  server.closeIdleConnections = () => {
    for (const socket of open) if (!latest.has(socket)) socket.destroy();
  };
  app.decorate('isEnding', false);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.isEnding || !server.listening) reply.header('Connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    server.keepAliveTimeout = 1;
    server.keepAliveTimeoutBuffer = 0;
  });
}

/**
 * Stops listening, and answers the requests that already arrived. Node accepts one waiting connection per event loop
 * turn, and resets those that still wait when it stops listening. So all are accepted first and answered afterwards,
 * which keeps turns short. Kept-alive connections get `idleMs` for a request that is in transit.
 */
export async function answerLastRequests(app: FastifyInstance, idleMs: number) {
  app.isEnding = true;
  const answerTaken = await takeWaiting(app.server);
  // The method of `net`: that of `http` would end kept-alive connections immediately.
  Server.prototype.close.call(app.server);
  answerTaken();
  const endAt = performance.now() + idleMs;
  while (performance.now() < endAt && (await connectionCount(app.server)) > 0) await delay(5);
}

/** Accepts the waiting connections, without reading from them until the returned function is called. */
async function takeWaiting(server: HttpServer): Promise<() => void> {
  const taken: Socket[] = [];
  const takers = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => void taken.push(socket));
  const endAt = performance.now() + takingMs;
  for (let quiet = 0; quiet < quietTurns && performance.now() < endAt; quiet += 1) {
    const before = taken.length;
    await turn();
    if (taken.length > before) quiet = 0;
  }
  return () => {
    for (const socket of taken) for (const take of takers) take.call(server, socket);
  };
}

const connectionCount = (server: HttpServer) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)));
