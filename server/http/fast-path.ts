import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { TierName } from '../../shared/contract/limits.ts';
import { type AccessRequest, admit } from '../api/access/admit-request.ts';
import type { Admission } from '../api/callers.ts';
import type { Surface } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import type { Procedure } from '../api/procedures.ts';
import type { Decision } from '../api/rate-limiter.ts';
import type { ClientReader } from './client-address.ts';
import { corsHeaders } from './cors.ts';
import { limitHeaders } from './limit-by-address.ts';
import { keyPrefixOf, type Report } from './request-log.ts';
import { hasHost, hostName, https, repeatedHeader } from './request-target.ts';
import { answerOf, type Representation } from './send-representation.ts';

declare module 'node:http' {
  interface IncomingMessage {
    /** Results of the address limit and the access checks, if they ran before the route did. */
    decision?: Decision | null;
    admission?: Admission;
  }
}

/** URL that its route answered from memory, with everything that the route derived from it. */
export interface CachedAddress {
  route: string;
  tier: TierName;
  /** Undefined for pages, which call several procedures. */
  procedure?: Procedure;
  surface: Surface;
  /** Everything that the answer depends on, other than the caller and the content. */
  question: string;
  /** True if a request has no header that only the route evaluates. */
  isPlain(request: IncomingMessage): boolean;
  /** Returns the cached content for an admitted request; undefined if it is not in memory. */
  contentFor(admission: Admission): Representation | undefined;
  /** Called with the request id after the answer was written. */
  afterAnswer?: ((request: IncomingMessage, id: string) => void) | undefined;
}

/** Estimated maximum bytes of all cached addresses, and estimated bytes of one address without its texts. */
const maxBytes = 4 * 1024 * 1024;
const overheadBytes = 700;

/** Creates the LRU cache of URLs that were answered from memory. */
export const createCachedAddresses = () =>
  new LRUCache<string, CachedAddress>({
    maxSize: maxBytes,
    sizeCalculation: ({ question }, url) => 2 * (url.length + question.length) + overheadBytes,
  });

export type CachedAddresses = Pick<ReturnType<typeof createCachedAddresses>, 'get' | 'set'>;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  address: CachedAddress;
  startedAt: number;
}

/**
 * Fast path: answers cached GET requests before Fastify sees them, in about half of its time.
 *
 *   unknown URL ──route answers from memory──▶ cached address ──evicted──▶ unknown URL
 *   request of a cached address ──limit, access checks, content in memory──▶ answered here
 *                               └──any other result──▶ Fastify, with these results attached
 *
 * A route registers a URL after it answered from memory (`addresses.set`). From then on each GET of that URL is checked
 * here: well-formed headers, rate limit, access, and whether the content changed. Only the parsing of the URL is
 * reused.
 *
 * Refusals, changed content, a key whose use must be recorded, and a server that is ending all go to Fastify. The
 * results are attached to the request, so that it is counted once. Without this code every request gets the same
 * answer, but slower.
 */
export function answerFromMemory(
  app: FastifyInstance,
  deps: Deps,
  addresses: CachedAddresses,
  client: ClientReader,
  report: Report,
) {
  const [fastify] = app.server.listeners('request');
  if (!isListener(fastify)) throw new Error('Fastify has no request listener');
  const isEnding = () => app.isEnding || !app.server.listening;
  const needsHttps = https.isRequired(deps);
  const write = createWriter(report, needsHttps ? [https.header, https.value] : []);

  const look = (exchange: Exchange, access: AccessRequest, decision: Decision | null) => {
    const { request, response, address } = exchange;
    request.decision = decision;
    if (decision?.allowed === false) return fastify(request, response);
    admit(access, address)
      .then((admission) => {
        request.admission = admission;
        const content = admission.refusal || admission.needsTouch ? undefined : address.contentFor(admission);
        if (!content || isEnding() || !write(exchange, content, decision)) fastify(request, response);
      })
      // The route reports the failure.
      .catch(() => (response.headersSent ? response.destroy() : fastify(request, response)));
  };

  app.server.off('request', fastify);
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const address = request.method === 'GET' ? addresses.get(request.url ?? '') : undefined;
    const isPlain = address && isWellFormed(request) && address.isPlain(request);
    if (!isPlain || (needsHttps && !client.isSecure(request))) return fastify(request, response);
    const exchange = { request, response, address, startedAt: performance.now() };
    const subject = client.addressOf(request);
    const access = accessOf(deps, request, subject);
    const decision = deps.limiter.take(address.tier, subject);
    if (!(decision instanceof Promise)) return look(exchange, access, decision);
    decision.then((late) => look(exchange, access, late)).catch(() => fastify(request, response));
  });
}

const isListener = (listener: unknown): listener is RequestListener => typeof listener === 'function';

/** True if a request has no body, and nothing that must be refused. */
const isWellFormed = (request: IncomingMessage) => {
  const { headers } = request;
  return (
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.host !== undefined &&
    hasHost(request) &&
    !repeatedHeader(request)
  );
};

function accessOf(deps: Deps, { headers }: IncomingMessage, client: string): AccessRequest {
  const { authorization, origin, referer } = headers;
  return { deps, client, host: hostName(headers.host), authorization, origin, referer, decisions: [] };
}

/** Writes content in the coding that the client accepts. Returns false if it is not in memory in that coding. */
const createWriter =
  (report: Report, always: readonly string[]) =>
  (
    { request, response, address, startedAt }: Exchange,
    content: Representation,
    decision: Decision | null,
  ) => {
    const id = randomUUID();
    const common = ['x-request-id', id, ...corsHeaders, ...always];
    const { status, headers, body, coding } = answerOf(content, request.headers, common);
    const bytes = body === null ? null : body.written(coding);
    if (bytes === undefined) return false;
    if (coding) headers.push('content-encoding', coding);
    if (decision) headers.push(...limitHeaders(decision));
    if (bytes !== null) headers.push('content-length', `${bytes.length}`);
    response.writeHead(status, headers);
    if (bytes === null) response.end();
    else response.end(bytes, 'latin1');
    if (response.destroyed) return true;
    const ms = performance.now() - startedAt;
    const keyPrefix = keyPrefixOf(request);
    report({ id, method: 'GET', route: address.route, calls: [], status, ms, keyPrefix, followed: false });
    address.afterAnswer?.(request, id);
    return true;
  };
