import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { requireOpen, requireOrigin } from '../../access/admit-key.ts';
import { isTouched } from '../../access/api-key.ts';
import { bearerToken } from '../../access/bearer-token.ts';
import { keyPrefix } from '../../access/key-secret.ts';
import { requireScope } from '../../access/scope.ts';
import { answerKey } from '../../cache/cached-read.ts';
import type { KnownKey } from '../../kernel/callers.ts';
import { type Coding, codingFor } from '../../kernel/coded.ts';
import type { Context } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { hasTag } from '../../kernel/entity-tag.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';
import type { Decision } from '../../kernel/rate-limiter.ts';
import type { Note } from '../http/answered.ts';
import type { ClientReader } from '../http/client-address.ts';
import { corsHeaders } from '../http/cors.ts';
import { hostName } from '../http/create-context.ts';
import { limitHeaders } from '../http/limit-by-address.ts';
import { tagOf } from '../http/send-kept.ts';
import { hasHost, https, repeatedHeader } from '../http/well-formed.ts';
import { nextLink } from './next-link.ts';
import { jsonType, keptHeaders } from './output.ts';

/** An address that was answered from memory. */
interface Known {
  procedure: RestProcedure;
  route: string;
  tier: NonNullable<RestProcedure['meta']['tier']>;
  question: string;
  url: string;
  /** `Link` of each answer. */
  links: WeakMap<object, readonly string[]>;
}

/** What the addresses take that are known, roughly, and one besides its texts. */
const mostBytes = 4 * 1024 * 1024;
const overheadBytes = 500;

interface Surroundings {
  client: ClientReader;
  note: Note;
}

/**
 * Answers from memory without Fastify, which would take half of the time: what an address asks for is known once its route
 * has read it. All else is looked at in every request: its limit, its key, whether the content has changed. A request that
 * can't be answered so goes its usual way, with what was found of it.
 */
export function createKnownAddresses(deps: Deps, { client, note }: Surroundings) {
  const known = new LRUCache<string, Known>({
    maxSize: mostBytes,
    sizeCalculation: ({ question }, url) => 2 * (url.length + question.length) + overheadBytes,
  });

  return {
    /** To be called with each request that its route has answered. */
    learn(request: FastifyRequest, procedure: RestProcedure, { answer: { question }, memberToken }: Context) {
      const { tier, access, keyTier } = procedure.meta;
      const isPlain = request.method === 'GET' && memberToken === undefined;
      if (question === undefined || !isPlain || !tier || access !== 'key' || keyTier) return;
      const route = request.routeOptions.url ?? '';
      const links: Known['links'] = new WeakMap();
      known.set(request.originalUrl, { procedure, route, tier, question, url: request.url, links });
    },

    /** Looks at every request of `app` first. */
    answerFor(app: FastifyInstance) {
      const [usual] = app.server.listeners('request');
      if (!isListener(usual)) throw new Error('Fastify listens to requests');
      app.server.off('request', usual);
      const listener = answerKnown({ deps, client, note, known, usual, isEnding: () => app.isEnding });
      app.server.prependListener('request', listener);
    },
  };
}

export type KnownAddresses = ReturnType<typeof createKnownAddresses>;

const isListener = (listener: unknown): listener is RequestListener => typeof listener === 'function';

interface Answering extends Surroundings {
  deps: Deps;
  known: LRUCache<string, Known>;
  usual: RequestListener;
  isEnding(): boolean;
}

function answerKnown(answering: Answering): RequestListener {
  const { deps, client, known, usual } = answering;
  return (request, response) => {
    const address = isPlain(request) ? known.get(request.url ?? '') : undefined;
    const secret = address && secretOf(request);
    if (!secret || (https.isRequired(deps) && !client.isSecure(request))) return usual(request, response);
    const asked = { request, response, address, secret, startedAt: performance.now() };
    const decision = deps.limiter.take(address.tier, client.addressOf(request));
    if (decision instanceof Promise)
      decision.then(
        (late) => look(answering, asked, late),
        () => usual(request, response),
      );
    else look(answering, asked, decision);
  };
}

/** Nothing about it that only its route looks at. */
const isPlain = (request: IncomingMessage) => {
  const { method, headers } = request;
  return (
    method === 'GET' &&
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
      const form = formOf(answering, asked, found);
      if (form) send(answering, asked, { form, decision });
      else usual(request, response);
    })
    // The route says what failed.
    .catch(() => (response.headersSent ? response.destroy() : usual(request, response)));
}

/** An answer as it is sent to one who takes it in that coding. */
interface Form {
  tag: string;
  coding: Coding | null;
  /** Null for one who has it. */
  body: Buffer | string | null;
  link: readonly string[];
}

function formOf(answering: Answering, asked: Asked, key: KnownKey | null): Form | undefined {
  const { responses } = answering.deps;
  const kept = findKept(answering, asked, key);
  const rendered = responses.renderedOf(kept);
  if (!kept || !rendered) return undefined;
  const { headers } = asked.request;
  const bytes = rendered.body();
  const coding = codingFor(headers['accept-encoding'], bytes);
  const tag = tagOf(rendered.etag(), coding);
  const has = headers['if-none-match'];
  const body = has && hasTag(has, tag) ? null : bytes.written(coding);
  return body === undefined ? undefined : { tag, coding, body, link: linkOf(asked.address, kept) };
}

function linkOf({ links, procedure, url }: Known, kept: object): readonly string[] {
  const made = links.get(kept);
  if (made) return made;
  const link = nextLink(procedure, url, kept);
  const header = link ? ['link', link] : [];
  links.set(kept, header);
  return header;
}

/** The answer, if it is in memory and the key may have it now. */
function findKept({ deps, isEnding }: Answering, { request, address }: Asked, key: KnownKey | null) {
  const { procedure, question } = address;
  const now = deps.clock.now();
  if (isEnding() || !key?.collection || !isTouched(key, now) || !isAllowed(request, procedure, { key, now }))
    return undefined;
  const content = { siteId: key.site_id, version: key.collection.version };
  return deps.responses.peek(answerKey(procedure.name, content, question));
}

/** The checks of `keyProcedure`, in which the route says which one failed. */
function isAllowed(
  { headers: { origin, referer } }: IncomingMessage,
  { meta }: RestProcedure,
  { key, now }: { key: KnownKey; now: Date },
): boolean {
  try {
    requireOpen(key, { surface: 'rest', now });
    requireScope(key.scopes, { surface: 'rest', meta, type: 'query' });
    requireOrigin({ origin, referer }, key);
    return true;
  } catch {
    return false;
  }
}

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
