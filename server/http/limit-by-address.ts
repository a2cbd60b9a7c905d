import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TierName } from '../../shared/contract/limits.ts';
import type { Deps } from '../api/deps.ts';
import { count, noteDecision, tightest } from '../api/limits/count.ts';
import type { Decision } from '../api/rate-limiter.ts';
import type { ClientReader } from './client-address.ts';
import { isPreflight } from './cors.ts';
import { setHeaders } from './send-representation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Client address as limits count it. */
    client: string;
    /** True if the request came to this server, or to its trusted proxy, over https. */
    isSecure: boolean;
    decisions: Decision[];
  }
  interface FastifyContextConfig {
    tier?: TierName | undefined;
    /**
     * True for a route that matches every single-segment path without another route, including unknown paths of other
     * surfaces.
     */
    isCatchAll?: boolean;
  }
}

/** Counts requests by client address in the rate limit tier of their route, before any other check. */
export function limitByAddress(app: FastifyInstance, deps: Deps, client: ClientReader) {
  const { limiter } = deps;
  app.decorateRequest('client');
  app.decorateRequest('isSecure');
  app.decorateRequest('decisions');
  app.addHook('onRequest', async (request) => {
    request.client = client.addressOf(request.raw);
    request.isSecure = client.isSecure(request.raw);
    request.decisions = [];
    const tier = request.routeOptions.config.tier ?? tierOfUnknown(request);
    const { decision } = request.raw;
    if (decision !== undefined) noteDecision(decision, request.decisions);
    else if (tier) await countRequest(deps, request, tier);
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!isPreflight(request)) {
      describe(reply, tightest(request.decisions ?? []));
      return done();
    }
    // A preflight is not counted, but its answer shows the remaining requests.
    const tier = tierOfUnknown(request);
    if (!tier) return done();
    limiter.peek(tier, client.addressOf(request.raw)).then((decision) => {
      describe(reply, decision ? { ...decision, allowed: true } : undefined);
      done();
    }, done);
  });
}

/** Counts a request in a tier. Throws `rate_limited`. */
export const countRequest = ({ limiter }: Deps, request: FastifyRequest, tier: TierName) =>
  count(limiter, request.decisions, { tier, subject: subjectIn(tier, request) });

/** Counts a request by address if it was refused before any limit counted it. Throws `rate_limited`. */
export async function countUncounted({ limiter }: Deps, { decisions, client }: FastifyRequest) {
  if (decisions.length === 0) await count(limiter, decisions, { tier: 'site', subject: client });
}

/**
 * Returns the subject that a request counts for. In the strict tier, a browser with an earlier sign-in counts for
 * itself, because others at its address could lock its people out. Its attempts to act as another person count by
 * address too (`countAs`).
 */
export const subjectIn = (tier: TierName, { client, browser }: FastifyRequest) =>
  (tier === 'strict' && browser.id() && `browser ${browser.id()}`) || client;

function describe(reply: FastifyReply, decision: Decision | undefined) {
  if (decision) setHeaders(reply, limitHeaders(decision));
}

/** Returns the headers of a decision, as alternating names and values. */
export function limitHeaders({ allowed, limit, remaining, resetAt, retryAfter }: Decision): string[] {
  const headers = [
    'x-ratelimit-limit',
    `${limit}`,
    'x-ratelimit-remaining',
    `${remaining}`,
    'x-ratelimit-reset',
    `${resetAt}`,
  ];
  if (!allowed) headers.push('retry-after', `${retryAfter}`);
  return headers;
}

/**
 * Returns the tier of a path without an endpoint. Paths below `/api` and `/mcp` count there, however they are escaped;
 * others count as pages. Undefined for a page that has a route, because that states its tier.
 */
function tierOfUnknown({ url, is404, routeOptions }: FastifyRequest): TierName | undefined {
  const [, first, second] = decodeURI(url.split(/[?#]/, 1)[0] ?? '').split('/');
  if (first === 'mcp') return 'mcp';
  // OPTIONS of any path matches the route of preflights.
  const isUnknown = is404 || routeOptions.config.isCatchAll || routeOptions.url === '*';
  if (first !== 'api') return isUnknown ? 'site' : undefined;
  return second === 'admin' ? 'moderate' : 'normal';
}
