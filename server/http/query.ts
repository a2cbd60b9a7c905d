import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** The query parameters as strings; one that is repeated is a list, which no contract takes. Throws `invalid_request`. */
export function readQuery(request: FastifyRequest): object {
  const query = request.url.split('?')[1] ?? '';
  try {
    decodeURIComponent(query);
  } catch (cause) {
    throw new ApiError('invalid_request', 'the query string is not percent-encoded UTF-8', { cause });
  }
  return Object.fromEntries(Object.entries(request.query as object));
}
