import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../errors.ts';
import { rpcErrorBody } from '../trpc.ts';
import { isRpc } from './rpc-path.ts';

/** Every failure outside a procedure, unknown paths included, is answered from the one error table (SPEC "Errors"). */
export function answerErrors(app: FastifyInstance) {
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found');
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const answer = toApiError(error, false);
  // A URL that can't be read fails before the hook that sets it.
  reply.header('X-Request-Id', request.id);
  if (answer.status >= 500) request.log.error({ err: answer.cause ?? answer }, answer.message);
  if (answer.status === 401) reply.header('WWW-Authenticate', 'Bearer');
  if (answer.status === 413) reply.header('Connection', 'close');
  const body = isRpc(request) ? rpcErrorBody(answer) : answer.body;
  return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Answers what is no HTTP request at all, such as headers beyond Node's limit of 16 KiB, and closes the connection. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket) {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const body = JSON.stringify(new ApiError('invalid_request').body);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
