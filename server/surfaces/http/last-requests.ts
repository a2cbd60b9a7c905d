import type { Server as HttpServer, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { STATUS_CODES } from '../../../shared/process/node-http.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { Patience } from '../../kernel/patience.ts';
import { announcesBody } from './body.ts';

// Requests that are the last of their connection: those that can't be read, those that come too late, and those that a
// server which ends has taken.

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is a file: whoever reads it sees to it that it comes in time. */
    takesFile?: boolean | undefined;
  }
  interface FastifyInstance {
    /** Whether the server is about to end: each answer is the last one of its connection. */
    isEnding: boolean;
  }
}

type BrokenRequest = NodeJS.ErrnoException & { code?: string };

/** How long a refused client may take to read why: closing at once could discard it on the way. */
const lingerMs = 1_000;

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Answers what Node can't read as HTTP, such as headers beyond its limit of 16 KiB, and closes the connection. Requests
 * that came whole before it on the same connection get their answers first. One that breaks off within its body is with
 * its handler already: it is answered here, unless the handler was faster.
 */
export function answerBrokenRequests(app: FastifyInstance, newId: () => string) {
  const latest = new WeakMap<object, ServerResponse>();
  app.server.on('request', ({ socket }, response) => {
    latest.set(socket, response);
    // Kept longer, a large answer would stay in memory as long as its connection is kept alive.
    response.once('finish', () => latest.get(socket) === response && latest.delete(socket));
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket: Socket) => refuse(socket, 400, newId()));
  return (error: BrokenRequest, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const response = latest.get(socket);
    const answer = () => refuse(socket, statuses[error.code ?? ''] ?? 400, newId());
    if (!response || response.writableFinished) answer();
    else if (response.req.complete) response.once('finish', answer);
    else if (response.headersSent) response.once('finish', () => socket.destroy());
    else if (response.socket) answer();
    else response.once('socket', answer);
  };
}

/** Node's own bound, which knows no routes: no request takes longer, its turn included. */
export const longestRequestMs = ({ requestMs, upload, move }: Patience) =>
  requestMs + Math.max(upload.longestMs, move.longestMs);

/** Ends a request whose body has not come in time, in the way in which Node ends those whose head hasn't: as a broken one. */
export function endLateRequests(app: FastifyInstance, { patience }: Deps) {
  app.addHook('onRequest', (request, _reply, done) => {
    if (announcesBody(request) && !request.routeOptions.config.takesFile) {
      const { raw } = request;
      const end = () => !raw.complete && app.server.emit('clientError', late(), raw.socket);
      const timer = setTimeout(end, patience.requestMs).unref();
      raw.once('end', () => clearTimeout(timer));
    }
    done();
  });
}

/** As Node calls it. */
const late = () =>
  Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

function refuse(socket: Socket, status: number, id: string) {
  if (!socket.writable) return;
  const body = JSON.stringify(new ApiError('invalid_request').body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** How long waiting connections are taken at most, however many still come. */
const takingMs = 2_000;

/** Turns of Node's loop without a new connection after which none is waiting. */
const quietTurns = 3;

/** A connection kept alive by a request that ran when the server was stopped would hold up its end. */
export function endConnectionsWhenEnding(app: FastifyInstance) {
  app.decorate('isEnding', false);
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (app.isEnding || !app.server.listening) reply.header('Connection', 'close');
    done();
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
