import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import { isMalformed } from './request-target.ts';

/** Headers that a proxy and this server could read differently if they were sent twice. */
const singular = new Set(['host', 'authorization', 'content-type']);

/** Refuses requests that Node accepts but that can be read in two ways, and those to unknown paths before their body is read. */
export function refuseMalformed(app: FastifyInstance) {
  app.addHook('onRequest', (request, _reply, done) => {
    if (isMalformed(request)) throw new ApiError('invalid_request', 'the path is not percent-encoded UTF-8');
    if (!hasHost(request)) throw new ApiError('invalid_request', 'missing or invalid Host header');
    const repeated = repeatedHeader(request);
    if (repeated) throw new ApiError('invalid_request', `the header ${repeated} came more than once`);
    if (request.is404) throw new ApiError('not_found');
    done();
  });
}

/** RFC 9112 3.2: HTTP/1.1 needs a valid one. */
function hasHost({ headers, raw }: FastifyRequest): boolean {
  if (headers.host === undefined) return raw.httpVersion === '1.0';
  return /^[^\s/?#@\\]*$/.test(headers.host) && URL.canParse(`http://${headers.host}`);
}

function repeatedHeader({ raw: { rawHeaders } }: FastifyRequest): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!singular.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
