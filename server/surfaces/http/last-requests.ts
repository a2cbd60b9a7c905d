import type { Server as HttpServer, ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { METHODS, STATUS_CODES } from '../../../shared/process/node-http.ts';
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

/** Node gives the latest bytes that came. */
type BrokenRequest = NodeJS.ErrnoException & { rawPacket?: unknown };

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
  app.server.on('request', (request, response) => {
    const { socket } = request;
    latest.set(socket, response);
    // Kept longer, a large answer would stay in memory as long as its connection is kept alive.
    const forget = () => latest.get(socket) === response && latest.delete(socket);
    response.once('finish', () => (request.complete ? forget() : request.once('close', forget)));
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket: Socket) =>
    refuse(socket, { status: 400, id: newId(), hasBody: true }),
  );
  return (error: BrokenRequest, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const response = latest.get(socket);
    const refuseIt = (hasBody: boolean) =>
      refuse(socket, { status: statuses[error.code ?? ''] ?? 400, id: newId(), hasBody });
    const answerHead = () => refuseIt(isSurelyNotHead(error, socket));
    if (!response) return answerHead();
    const { req: request, writableFinished: isAnswered } = response;
    const answerBody = () => refuseIt(request.method !== 'HEAD');
    if (request.complete) isAnswered ? answerHead() : response.once('finish', answerHead);
    else if (isAnswered) endSoon(socket);
    else if (response.headersSent) response.once('finish', () => socket.destroy());
    else if (response.socket) answerBody();
    else response.once('socket', answerBody);
  };
}

/**
 * Whether a request whose head can't be read is none of HEAD. Its beginning has to be at hand for that, which is certain of
 * all that came on a connection, and told by a method else; several may have come at once.
 */
function isSurelyNotHead({ rawPacket }: BrokenRequest, { bytesRead }: Socket): boolean {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const isWhole = text !== '' && text.length === bytesRead;
  return (isWhole || METHODS.includes(text.split(' ', 1)[0] ?? '')) && !/^HEAD\b/m.test(text);
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

/**
 * Cuts off who takes nothing of an answer: what waits for him takes memory, and what his answer is made from. Whoever
 * waits for an answer himself isn't meant, nor are connections without a request, which Node gives a time of its own.
 */
export function endUntakenAnswers({ server }: FastifyInstance, { patience: { answerMs } }: Deps) {
  server.setTimeout(answerMs, (socket) => {
    if (socket.timeout !== answerMs || socket.writableLength > 0) socket.destroy();
  });
}

/** As Node calls it. */
const late = () =>
  Object.assign(new Error('the request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

interface Refusal {
  status: number;
  id: string;
  hasBody: boolean;
}

function refuse(socket: Socket, { status, id, hasBody }: Refusal) {
  if (!socket.writable) return;
  const body = hasBody ? JSON.stringify(new ApiError('invalid_request').body) : '';
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  endSoon(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}

function endSoon(socket: Socket, answer = '') {
  socket.end(answer);
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
