import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../../kernel/errors.ts';
import { rpcErrorBody } from '../../kernel/trpc.ts';
import { isRpc } from '../rpc/path.ts';
import { logOf } from './request-log.ts';

/** Every failure outside a procedure, unknown paths included, is answered from the one error table (SPEC "Errors"). */
export function answerErrors(app: FastifyInstance) {
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found');
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const answer = toApiError(error, false);
  if (answer.status >= 500) logOf(request).error({ err: answer.cause ?? answer }, answer.message);
  if (answer.status === 401) reply.header('WWW-Authenticate', 'Bearer');
  if (answer.retryAfter !== undefined) reply.header('Retry-After', answer.retryAfter);
  if (answer.status === 413) reply.header('Connection', 'close');
  const body = isRpc(request) ? rpcErrorBody(answer) : answer.body;
  return reply.code(answer.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}
