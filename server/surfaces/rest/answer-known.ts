import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { requireOpen, requireOrigin, requireScope } from '../../access/admit-key.ts';
import { isTouched } from '../../access/api-key.ts';
import { bearerToken, keyPrefix } from '../../access/credentials.ts';
import type { KnownKey } from '../../kernel/callers.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { Decision } from '../../kernel/rate-limiter.ts';
import type { Note } from '../http/answered.ts';
import type { ClientReader } from '../http/client-address.ts';
import { corsHeaders } from '../http/cors.ts';
import { limitHeaders } from '../http/limit-by-address.ts';
import { jsonType, keptHead } from '../http/send-kept.ts';
import { hasHost, hostName, https, repeatedHeader } from '../http/well-formed.ts';
import { type Form, formOf, type Known, type KnownAddresses } from './known-addresses.ts';

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
 * read it. All else is looked at in every request: its limit, its key, whether the content has changed. A request that
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
    const address = request.method === 'GET' && addresses.find(request);
    const secret = address && isPlain(request) && secretOf(request);
    if (!secret || (https.isRequired(deps) && !client.isSecure(request))) return usual(request, response);
    const asked = { request, response, address, secret, startedAt: performance.now() };
    const decision = deps.limiter.take(address.tier, client.addressOf(request));
    if (!(decision instanceof Promise)) return look(answering, asked, decision);
    decision.then((late) => look(answering, asked, late)).catch(() => usual(request, response));
  };
}

/** Nothing about it that only its route looks at. */
const isPlain = (request: IncomingMessage) => {
  const { headers } = request;
  return (
    headers['x-member-token'] === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.host !== undefined &&
    hasHost(request) &&
    !repeatedHeader(request)
  );
};

/** Undefined where there is none, for the route to say what is wrong. */
function secretOf({ headers }: IncomingMessage): string | undefined {
  try {
    return bearerToken(headers.authorization, 'svc_live_');
  } catch {
    return undefined;
  }
}

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  address: Known;
  secret: string;
  startedAt: number;
}

function look(answering: Answering, asked: Asked, decision: Decision | null) {
  const { deps, usual } = answering;
  const { request, response, address, secret } = asked;
  request.found = { decision, key: undefined };
  if (decision?.allowed === false) return usual(request, response);
  const collection = address.procedure.meta.cached ?? null;
  const key = deps.findKey({ secret, host: hostName(request.headers.host), collection });
  request.found.key = key;
  key
    .then((found) => {
      const form =
        found &&
        mayAnswer(answering, asked, found) &&
        formOf(address, deps, { key: found, headers: request.headers });
      if (form) send(answering, asked, { form, decision });
      else usual(request, response);
    })
    // The route says what failed.
    .catch(() => (response.headersSent ? response.destroy() : usual(request, response)));
}

/** Whether all holds that `keyProcedure` asks of a key; it says what does not. */
function mayAnswer({ deps, isEnding }: Answering, { request, address }: Asked, key: KnownKey) {
  const { origin, referer } = request.headers;
  const now = deps.clock.now();
  if (isEnding() || !isTouched(key, now)) return false;
  try {
    requireOpen(key, { surface: 'rest', now });
    requireScope(key.scopes, { surface: 'rest', meta: address.procedure.meta, type: 'query' });
    requireOrigin({ origin, referer }, key);
    return true;
  } catch {
    return false;
  }
}

const keptHeaders = Object.entries(keptHead).flat();

function send(
  { deps, note }: Answering,
  asked: Asked,
  { form, decision }: { form: Form; decision: Decision | null },
) {
  const { response, address, secret, startedAt } = asked;
  const { tag, coding, body, link } = form;
  const id = randomUUID();
  const status = body === null ? 304 : 200;
  const head = ['x-request-id', id, ...corsHeaders];
  if (https.isRequired(deps)) head.push(https.header, https.value);
  head.push(...link, ...keptHeaders, 'etag', tag);
  if (body !== null) head.push('content-type', jsonType);
  if (body !== null && coding) head.push('content-encoding', coding);
  if (decision) head.push(...limitHeaders(decision));
  if (body !== null) head.push('content-length', `${body.length}`);
  response.writeHead(status, head);
  if (body === null) response.end();
  else response.end(body, 'latin1');
  if (response.destroyed) return;
  const ms = performance.now() - startedAt;
  const { route } = address;
  note({ id, method: 'GET', route, calls: [], status, ms, keyPrefix: keyPrefix(secret), followed: false });
}
