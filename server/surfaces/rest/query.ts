import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';

/** The query parameters named `known`, as strings; others are ignored. Throws `invalid_request`. */
export function readQuery({ url, query }: FastifyRequest, known: readonly string[]): object {
  if (!isPercentEncoded(url)) {
    throw new ApiError('invalid_request', 'the query string is not percent-encoded UTF-8');
  }
  const values = query as Record<string, string | string[]>;
  const given = known.filter((name) => Object.hasOwn(values, name));
  const repeated = given.find((name) => Array.isArray(values[name]));
  if (repeated) throw new ApiError('invalid_request', `${repeated}: given more than once`);
  return Object.fromEntries(given.map((name) => [name, values[name]]));
}

function isPercentEncoded(url: string): boolean {
  try {
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}
