import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../api/api-error.ts';
import { logOf } from './request-log.ts';
import { type Http, jsonType } from './send-representation.ts';

/**
 * Responds to failures outside of procedures, including unknown paths, from the table of errors. Browsers get a page by
 * `sendPage`. `sendRedirect` returns false if an unknown path redirects nowhere.
 */
export function answerErrors(
  app: FastifyInstance,
  isForPeople: (request: FastifyRequest) => boolean,
  sendPage: (error: ApiError, http: Http) => Promise<unknown>,
  sendRedirect: (http: Http) => Promise<boolean>,
) {
  app.setNotFoundHandler(() => {
    throw new ApiError('not_found');
  });
  const inJson = errorReply(({ body }) => body);
  app.setErrorHandler(async (error, request, reply) => {
    const isNothing = toApiError(error, false).errorCode === 'not_found';
    if (isNothing && (await sendRedirect({ request, reply }))) return reply;
    if (!isForPeople(request)) {
      inJson(error, request, reply);
      return reply;
    }
    return sendPage(beginErrorReply(error, request, reply), { request, reply });
  });
}

/** Creates an error handler for `app` or one of its surfaces. `render` returns the body. */
export function errorReply(render: (error: ApiError) => object) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const answer = beginErrorReply(error, request, reply);
    reply.type(jsonType).send(JSON.stringify(render(answer)));
  };
}

/**
 * Converts a failure of a request to an `ApiError`, whose code the request's log line contains. Logs it if it is a
 * fault of the service.
 */
export function noteFailure(error: unknown, request: FastifyRequest): ApiError {
  const answer = toApiError(error, false);
  request.errorCode = answer.errorCode;
  logFailure(logOf(request), answer);
  return answer;
}

/** Logs a failure, and sets status and headers of its response. */
function beginErrorReply(error: unknown, request: FastifyRequest, reply: FastifyReply): ApiError {
  const answer = noteFailure(error, request);
  reply.headers(errorHeaders([answer]));
  if (answer.status === 413) reply.header('Connection', 'close');
  reply.code(answer.status);
  return answer;
}

/** Logs errors of the service, with their cause; client errors are not logged here. */
export function logFailure(log: FastifyBaseLogger, error: ApiError, about: object = {}) {
  if (error.status >= 500) log.error({ err: error.cause ?? error, ...about }, error.message);
}

/**
 * Returns the headers of errors: the challenge of the first one that another credential fixes, and the longest wait in
 * seconds. Empty if no error has one.
 */
export function errorHeaders(errors: readonly ApiError[]): Record<string, string> {
  const [challenge] = errors.flatMap((error) => error.challenge ?? []);
  const waits = errors.flatMap(({ retryAfter }) => retryAfter ?? []);
  return {
    ...(challenge && { 'WWW-Authenticate': challenge }),
    ...(waits.length > 0 && { 'Retry-After': `${Math.max(...waits)}` }),
  };
}
