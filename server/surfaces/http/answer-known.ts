import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../kernel/deps.ts';
import type { Decision } from '../../kernel/rate-limiter.ts';
import { keyPrefixOf, type Note } from './answered.ts';
import type { ClientReader } from './client-address.ts';
import { corsHeaders } from './cors.ts';
import type { Found, KnownAddress, KnownAddresses, KnownAnswer } from './known-addresses.ts';
import { limitHeaders } from './limit-by-address.ts';
import { formOf } from './send-kept.ts';
import { hasHost, https, repeatedHeader } from './well-formed.ts';

interface Surroundings {
  deps: Deps;
  addresses: KnownAddresses;
  client: ClientReader;
  note: Note;
}

interface Answering extends Surroundings {
  usual: RequestListener;
  isEnding(): boolean;
}

/**
 * Answers from memory without Fastify, which takes half of the time: what an address asks for is known once its route has
 * read it. All else is looked at in every request: its limit, who asks, whether the content has changed. A request that
 * can't be answered so goes its usual way, with what was found of it.
 */
export function answerKnown(app: FastifyInstance, surroundings: Surroundings) {
  const [usual] = app.server.listeners('request');
  if (!isListener(usual)) throw new Error('Fastify listens to requests');
  const isEnding = () => app.isEnding || !app.server.listening;
  app.server.off('request', usual);
  app.server.prependListener('request', createListener({ ...surroundings, usual, isEnding }));
}

const isListener = (listener: unknown): listener is RequestListener => typeof listener === 'function';

function createListener(answering: Answering): RequestListener {
  const { deps, client, addresses, usual } = answering;
  return (request, response) => {
    const address = request.method === 'GET' ? addresses.find(request) : undefined;
    const isPlain = address && isWellFormed(request) && address.isPlain(request);
    if (!isPlain || (https.isRequired(deps) && !client.isSecure(request))) return usual(request, response);
    const asked = { request, response, address, startedAt: performance.now() };
    const decision = deps.limiter.take(address.tier, client.addressOf(request));
    if (!(decision instanceof Promise)) return look(answering, asked, decision);
    decision.then((late) => look(answering, asked, late)).catch(() => usual(request, response));
  };
}

/** Nothing about it that is to be refused, and no body. */
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

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  address: KnownAddress;
  startedAt: number;
}

function look(answering: Answering, asked: Asked, decision: Decision | null) {
  const { usual, isEnding } = answering;
  const { request, response, address } = asked;
  const found: Found = { decision, key: undefined, site: undefined };
  request.found = found;
  if (decision?.allowed === false) return usual(request, response);
  address
    .answerTo(request, found)
    .then((answer) => {
      if (!answer || isEnding() || !send(answering, asked, { answer, decision })) usual(request, response);
    })
    // The route says what failed.
    .catch(() => (response.headersSent ? response.destroy() : usual(request, response)));
}

/** Sends an answer as its client takes it; false where it is not in memory in that form. */
function send(
  { deps, note }: Answering,
  { request, response, address, startedAt }: Asked,
  { answer: { kept, head: itsHead }, decision }: { answer: KnownAnswer; decision: Decision | null },
): boolean {
  const { tag, coding, isKnown } = formOf(kept, request.headers);
  const body = isKnown ? null : kept.bytes.written(coding);
  if (body === undefined) return false;
  const id = randomUUID();
  const status = body === null ? 304 : 200;
  const head = ['x-request-id', id, ...corsHeaders];
  if (https.isRequired(deps)) head.push(https.header, https.value);
  head.push(...itsHead, 'etag', tag);
  if (body !== null) head.push('content-type', kept.type);
  if (body !== null && coding) head.push('content-encoding', coding);
  if (decision) head.push(...limitHeaders(decision));
  if (body !== null) head.push('content-length', `${body.length}`);
  response.writeHead(status, head);
  if (body === null) response.end();
  else response.end(body, 'latin1');
  if (response.destroyed) return true;
  const ms = performance.now() - startedAt;
  const keyPrefix = keyPrefixOf(request);
  note({ id, method: 'GET', route: address.route, calls: [], status, ms, keyPrefix, followed: false });
  address.afterAnswer?.(request, id);
  return true;
}
