import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { LatestAnswers } from './broken-requests.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the server is about to end: each answer is the last one of its connection. */
    isEnding: boolean;
  }
}

/** How long waiting connections are taken at most, however many still come. */
const takingMs = 2_000;

/** Turns of Node's loop without a new connection after which none is waiting. */
const quietTurns = 3;

/**
 * A connection kept alive by a request that ran when the server was stopped would hold up its end: what is answered from
 * then on says that it is the last, and one whose answer had begun is ended when that is through.
 */
export function endConnectionsWhenEnding(app: FastifyInstance, latest: LatestAnswers) {
  const { server } = app;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  // Node's own cuts off answers that are written whole, but wait here for a slow reader to take them.
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
 * Stops listening, and answers what has come by then. Node takes one waiting connection in each turn of its loop, and
 * those that still wait when it stops listening are reset; so all are taken first, and answered afterwards, which keeps
 * turns short. Kept connections get `idleMs` in which a request that is on its way arrives.
 */
export async function answerLastRequests(app: FastifyInstance, idleMs: number) {
  app.isEnding = true;
  const answerTaken = await takeWaiting(app.server);
  // Of `net`: that of `http` ends kept connections too, and at once.
  Server.prototype.close.call(app.server);
  answerTaken();
  const endAt = performance.now() + idleMs;
  while (performance.now() < endAt && (await connectionCount(app.server)) > 0) await delay(5);
}

/** Takes the connections that wait, without reading from them until the returned function is called. */
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
