import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../kernel/api-error.ts';

/** The query parameters that `contracts` name, as strings; others are ignored. Throws `invalid_request`. */
export function readQuery(
  { url, query }: FastifyRequest,
  contracts: Readonly<Record<string, unknown>>,
): object {
  if (!isPercentEncoded(url)) {
    throw new ApiError('invalid_request', 'the query string is not percent-encoded UTF-8');
  }
  const values = Query.parse(query);
  const given = Object.keys(contracts).filter((name) => Object.hasOwn(values, name));
  const repeated = given.find((name) => Array.isArray(values[name]) && !takesList(contracts[name]));
  if (repeated) throw new ApiError('invalid_request', `${repeated}: given more than once`);
  return Object.fromEntries(given.map((name) => [name, values[name]]));
}

const Query = z.record(z.string(), z.unknown());

/** A list may come as one word, or with its parameter repeated. */
function takesList(contract: unknown): boolean {
  if (contract instanceof z.ZodOptional) return takesList(contract.unwrap());
  if (contract instanceof z.ZodPipe) return takesList(contract.in);
  return contract instanceof z.ZodUnion && contract.options.some((option) => option instanceof z.ZodArray);
}

function isPercentEncoded(url: string): boolean {
  try {
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}
