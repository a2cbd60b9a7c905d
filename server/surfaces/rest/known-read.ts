import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { requireOpen, requireOrigin, requireScope } from '../../access/admit-key.ts';
import { isTouched } from '../../access/api-key.ts';
import { bearerToken } from '../../access/credentials.ts';
import { answerKey } from '../../cache/cached-read.ts';
import type { KnownKey } from '../../kernel/callers.ts';
import type { Context } from '../../kernel/context.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';
import type { KnownAddress, KnownAnswer } from '../http/known-addresses.ts';
import { jsonType, keptHead } from '../http/send-kept.ts';
import { hostName } from '../http/well-formed.ts';
import { nextLink } from './query.ts';

/** What is known of an address once its route has answered a request for it; undefined unless the answer came from memory. */
export function knownRead(
  { method, url, routeOptions }: FastifyRequest,
  procedure: RestProcedure,
  { deps, answer: { question }, memberToken }: Context,
): KnownAddress | undefined {
  const { tier, access, keyTier, cached: collection = null } = procedure.meta;
  const isForAll = method === 'GET' && memberToken === undefined;
  if (question === undefined || !isForAll || !tier || access !== 'key' || keyTier) return undefined;
  const answers = new WeakMap<object, KnownAnswer>();
  const answerFor = (key: KnownKey): KnownAnswer | undefined => {
    if (!key.collection) return undefined;
    const content = { siteId: key.site_id, version: key.collection.version };
    const kept = deps.responses.peek(answerKey(procedure.name, content, question));
    const rendered = deps.responses.renderedOf(kept);
    if (!kept || !rendered) return undefined;
    const made = answers.get(kept);
    if (made) return made;
    const link = nextLink(procedure, url, kept);
    const answer = {
      kept: { type: jsonType, etag: rendered.etag(), bytes: rendered.body() },
      head: [...(link ? ['link', link] : []), ...keptHeaders],
    };
    answers.set(kept, answer);
    return answer;
  };
  return {
    route: routeOptions.url ?? '',
    tier,
    question,
    isPlain: (request) => request.headers['x-member-token'] === undefined && secretOf(request) !== undefined,
    answerTo(request, found) {
      const secret = secretOf(request) ?? '';
      found.key = deps.findKey({ secret, host: hostName(request.headers.host), collection });
      return found.key.then((key) =>
        key && mayRead(procedure, key, { request, now: deps.clock.now() }) ? answerFor(key) : undefined,
      );
    },
  };
}

const keptHeaders = Object.entries(keptHead).flat();

/** Undefined where there is none, for the route to say what is wrong. */
function secretOf({ headers }: IncomingMessage): string | undefined {
  try {
    return bearerToken(headers.authorization, 'svc_live_');
  } catch {
    return undefined;
  }
}

/** Whether all holds that `keyProcedure` asks of a key; it says what does not. */
function mayRead(
  { meta }: RestProcedure,
  key: KnownKey,
  { request, now }: { request: IncomingMessage; now: Date },
) {
  const { origin, referer } = request.headers;
  if (!isTouched(key, now)) return false;
  try {
    requireOpen(key, { surface: 'rest', now });
    requireScope(key.scopes, { surface: 'rest', meta, type: 'query' });
    requireOrigin({ origin, referer }, key);
    return true;
  } catch {
    return false;
  }
}
