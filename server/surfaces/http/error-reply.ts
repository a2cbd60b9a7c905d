import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../../kernel/api-error.ts';
import { logOf } from './answered.ts';

/** How failures are shown to people, who can't read JSON. */
interface ErrorPages {
  isForPeople(request: FastifyRequest): boolean;
  send(error: ApiError, http: { request: FastifyRequest; reply: FastifyReply }): Promise<unknown>;
  /** Sends who asked for nothing to where it is now; false where there is no such place. */
  sendElsewhere(http: { request: FastifyRequest; reply: FastifyReply }): Promise<boolean>;
}

/** Every failure outside a procedure, unknown paths included, is answered from the one error table. */
export function answerErrors(app: FastifyInstance, pages: ErrorPages) {
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found');
  });
  const inJson = errorReply(({ body }) => body);
  app.setErrorHandler(async (error, request, reply) => {
    const isNothing = toApiError(error, false).errorCode === 'not_found';
    if (isNothing && (await pages.sendElsewhere({ request, reply }))) return reply;
    if (!pages.isForPeople(request)) {
      inJson(error, request, reply);
      return reply;
    }
    return pages.send(beginErrorReply(error, request, reply), { request, reply });
  });
}

/** An error handler for `app` or for one of its surfaces, which has `render` write the body. */
export function errorReply(render: (error: ApiError) => object) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const answer = beginErrorReply(error, request, reply);
    reply.type('application/json; charset=utf-8').send(JSON.stringify(render(answer)));
  };
}

/** Notes a failure, and sets all of its reply but the body. */
function beginErrorReply(error: unknown, request: FastifyRequest, reply: FastifyReply): ApiError {
  const answer = toApiError(error, false);
  request.errorCode = answer.errorCode;
  if (answer.status >= 500) logOf(request).error({ err: answer.cause ?? answer }, answer.message);
  if (answer.challenge) reply.header('WWW-Authenticate', answer.challenge);
  if (answer.retryAfter !== undefined) reply.header('Retry-After', answer.retryAfter);
  if (answer.status === 413) reply.header('Connection', 'close');
  reply.code(answer.status);
  return answer;
}
