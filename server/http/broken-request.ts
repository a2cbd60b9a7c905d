import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';

type BrokenRequest = NodeJS.ErrnoException & { code?: string };

const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/**
 * Answers what Node can't read as HTTP, such as headers beyond its limit of 16 KiB, and closes the connection. Requests
 * that came whole before it on the same connection get their answers first.
 */
export function answerBrokenRequests(app: FastifyInstance, newId: () => string) {
  const latest = new WeakMap<object, ServerResponse>();
  app.server.on('request', (request, response) => latest.set(request.socket, response));
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket: Socket) => refuse(socket, 400, newId()));
  return (error: BrokenRequest, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const response = latest.get(socket);
    const status = statuses[error.code ?? ''] ?? 400;
    if (!response || response.writableFinished) refuse(socket, status, newId());
    else if (response.req.complete) response.once('finish', () => refuse(socket, status, newId()));
    else refuseInTurn(response, () => refuse(socket, status, newId()));
  };
}

/** The broken request is already with its handler: it is answered here, unless the handler was faster. */
function refuseInTurn(response: ServerResponse, answer: () => void) {
  if (response.headersSent) response.once('finish', () => response.req.socket.destroy());
  else if (response.socket) answer();
  else response.once('socket', answer);
}

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
}
