import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import type { ClientReader } from './client-address.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for paths that proxies on the same machine request over plain http, whatever `PUBLIC_URL` is. */
    isUnencrypted?: boolean;
  }
}

/**
 * Reads a request target. Fastify answers an undecodable target without running hooks, so its invalid parts are escaped
 * here. It then passes the hooks (request id, limits) and is refused because of `malformed`. An absolute target is
 * reduced to its path.
 */
export function readTarget(target: string): { url: string; malformed: boolean } {
  const url = target.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  const [path = ''] = url.split(/[?#]/, 1);
  const rest = url.slice(path.length);
  if (url.startsWith('/') && isPercentEncoded(path)) return { url, malformed: false };
  return {
    url: `/${path.replace(/^\//, '').replaceAll('%', '%25')}${rest}`,
    malformed: !url.startsWith('?'),
  };
}

export function isPercentEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

export const https = {
  header: 'strict-transport-security',
  value: 'max-age=31536000',
  isRequired: ({ config }: Pick<Deps, 'config'>) => config.publicUrl.protocol === 'https:',
};

/**
 * Refuses requests that Node accepts but that are ambiguous, and those to unknown paths before their body is read. With
 * an https `PUBLIC_URL`, plain http is refused except at paths that are `isUnencrypted`.
 */
export function requireWellFormed(app: FastifyInstance, deps: Deps, client: ClientReader) {
  if (https.isRequired(deps))
    app.addHook('onRequest', (request, reply, done) => {
      if (!client.isSecure(request.raw) && !request.routeOptions.config.isUnencrypted)
        throw new ApiError('invalid_request', 'HTTPS is required');
      reply.header(https.header, https.value);
      done();
    });
  app.addHook('onRequest', (request, _reply, done) => {
    const { originalUrl, url } = request;
    if (originalUrl !== url && readTarget(originalUrl).malformed)
      throw new ApiError('invalid_request', 'the path is not percent-encoded UTF-8');
    if (!hasHost(request.raw)) throw new ApiError('invalid_request', 'missing or invalid Host header');
    const repeated = repeatedHeader(request.raw);
    if (repeated)
      throw new ApiError('invalid_request', `${repeated}: the header must not be sent more than once`);
    if (request.is404) throw new ApiError('not_found');
    done();
  });
}

/** True if a request has a valid `Host` header, which HTTP/1.1 requires (RFC 9112, 3.2). In HTTP/1.0 it may be missing. */
export function hasHost({ headers, httpVersion }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion === '1.0';
  return /^[^\s/?#@\\]*$/.test(headers.host) && URL.canParse(`http://${headers.host}`);
}

/** Returns the host of a request without port and final dot, in lower case. */
export const hostName = (host = '') => host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();

/** Headers that a proxy and this server could interpret differently if they were repeated. */
const singular = new Set(['host', 'authorization', 'content-type']);
const singularLengths = new Set([...singular].map(({ length }) => length));

/** Returns the name of a header in `singular` that the request repeats; undefined if there is none. */
export function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (!singularLengths.has(given.length)) continue;
    const name = given.toLowerCase();
    if (!singular.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}
