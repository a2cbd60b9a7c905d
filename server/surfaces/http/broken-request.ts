import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { Patience } from '../../kernel/patience.ts';
import { announcesBody } from './body.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is a file: whoever reads it sees to it that it comes in time. */
    takesFile?: boolean | undefined;
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
