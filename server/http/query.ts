import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';

/** The query parameters, each of them one string. Throws `invalid_request` for one that is repeated or malformed. */
export function readQuery(request: FastifyRequest): object {
  const query = request.url.split('?')[1] ?? '';
  try {
    decodeURIComponent(query);
  } catch (cause) {
    throw new ApiError('invalid_request', 'the query string is not percent-encoded UTF-8', { cause });
  }
  const parameters = Object.entries(request.query as Record<string, unknown>);
  const repeated = parameters.find(([, value]) => Array.isArray(value));
  if (repeated) throw new ApiError('invalid_request', `${repeated[0]}: given more than once`);
  return Object.fromEntries(parameters);
}
