import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import type { RestProcedure } from '../../api/procedures.ts';
import { isPercentEncoded } from '../request-target.ts';

/**
 * Reads the query parameters in `contracts` as strings; ignores others. Throws `invalid_request` for a malformed
 * percent-encoding, and for a repeated parameter that does not take a list.
 */
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
  if (repeated) throw new ApiError('invalid_request', `${repeated}: must not be given more than once`);
  return Object.fromEntries(given.map((name) => [name, values[name]]));
}

const Query = z.record(z.string(), z.unknown());

/** Lists may be one text, or a repeated parameter. */
function takesList(contract: unknown): boolean {
  if (contract instanceof z.ZodOptional) return takesList(contract.unwrap());
  if (contract instanceof z.ZodPipe) return takesList(contract.in);
  return contract instanceof z.ZodUnion && contract.options.some((option) => option instanceof z.ZodArray);
}

/** Maximum length of a URL in a reply header: many clients accept at most 8 KB of headers. */
const maxLength = 6_000;

/**
 * Creates the `Link` header of a reply with a next page (RFC 8288): its path, with the parameters of this page. Undefined
 * for other replies, and if it would be too long.
 */
export function nextLink({ input }: RestProcedure, url: string, output: unknown): string | undefined {
  const next = nextOf(output);
  if (!next) return undefined;
  const [path = ''] = url.split('?', 1);
  // A query may contain further question marks.
  const known = [...new URLSearchParams(url.slice(path.length))].filter(([name]) =>
    Object.hasOwn(input?.shape ?? {}, name),
  );
  const parameters = new URLSearchParams(known);
  parameters.set(next.parameter, next.value);
  const address = `${path}?${parameters}`;
  return address.length <= maxLength ? `<${address}>; rel="next"` : undefined;
}

function nextOf(output: unknown): { parameter: string; value: string } | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  if ('next_cursor' in output && typeof output.next_cursor === 'string')
    return { parameter: 'cursor', value: output.next_cursor };
  if (!('page' in output && 'per_page' in output && 'total' in output)) return undefined;
  const [page, shown] = [Number(output.page), Number(output.page) * Number(output.per_page)];
  return shown < Number(output.total) ? { parameter: 'page', value: `${page + 1}` } : undefined;
}
