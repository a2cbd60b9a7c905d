import type { FastifyRequest } from 'fastify';
import type { Context, IdempotentRequest, Surface } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import { parseIfMatch } from '../api/entity-tag.ts';
import { hostName } from './request-target.ts';

/** Surfaces on which a request is one call, so that its `If-Match` belongs to that call. */
const takesConditions: readonly Surface[] = ['rest', 'rpc'];

export function createContext(deps: Deps, request: FastifyRequest, surface: Surface): Context {
  const { authorization, origin, referer, host } = request.headers;
  return {
    deps,
    surface,
    client: request.client,
    browser: request.browser,
    host: hostName(host),
    authority: host,
    authorization,
    origin,
    referer,
    memberToken: single(request.headers['x-member-token']),
    previewToken: single(request.headers['x-preview-token']),
    userAgent: request.headers['user-agent'],
    idempotency: idempotencyOf(request, surface),
    admission: request.raw.admission,
    ifMatch: takesConditions.includes(surface) ? parseIfMatch(request.headers['if-match']) : undefined,
    answer: {},
    decisions: request.decisions,
    // The route of a REST request already names its only call.
    calls: surface === 'rest' ? [] : request.calls,
  };
}

/** Returns the idempotent request, on surfaces that accept an `Idempotency-Key`; undefined without the header. */
function idempotencyOf(
  { raw, method, url, body }: FastifyRequest,
  surface: Surface,
): IdempotentRequest | undefined {
  const keys = raw.headers['idempotency-key'] === undefined ? [] : raw.headersDistinct['idempotency-key'];
  if (!keys?.length || (surface !== 'rest' && surface !== 'rpc')) return undefined;
  const [path] = url.split('?', 1);
  // For REST, the body is read and set after the access checks.
  return {
    keys,
    target: `${method} ${path}`,
    body: typeof body === 'string' ? body : '',
    isReplay: false,
  };
}

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
