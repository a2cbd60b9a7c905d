import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TierName } from '../../shared/contract/limits.ts';
import type { Deps } from '../api/deps.ts';
import { count, noteDecision, tightest } from '../api/limits/count.ts';
import type { Decision } from '../api/rate-limiter.ts';
import { setHeaders } from './answer.ts';
import type { ClientReader } from './client-address.ts';
import { isPreflight } from './cors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address as limits count it. */
    client: string;
    /** Whether it came to this server, or to the proxy in front of it, over https. */
    isSecure: boolean;
    decisions: Decision[];
  }
  interface FastifyContextConfig {
    tier?: TierName | undefined;
    /** Set on a route that takes every path of one segment that no other takes, those of other surfaces too. */
    isCatchAll?: boolean;
  }
}

/** Counts requests by client address in the tier of their route before anything else is looked at. */
export function limitByAddress(app: FastifyInstance, { limiter }: Deps, client: ClientReader) {
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
    else if (tier) await count(limiter, request.decisions, { tier, subject: subjectIn(tier, request) });
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!isPreflight(request)) {
      describe(reply, tightest(request.decisions ?? []));
      return done();
    }
    // A preflight is not counted, but its answer shows how many requests are left.
    const tier = tierOfUnknown(request);
    if (!tier) return done();
    limiter.peek(tier, client.addressOf(request.raw)).then((decision) => {
      describe(reply, decision ? { ...decision, allowed: true } : undefined);
      done();
    }, done);
  });
}

/** Counts by address a request that was refused before anything had counted it. Throws `rate_limited`. */
export async function countUncounted({ limiter }: Deps, { decisions, client }: FastifyRequest) {
  if (decisions.length === 0) await count(limiter, decisions, { tier: 'site', subject: client });
}

/**
 * Who a request counts for: where people sign in, a browser that somebody signed in with counts for itself, or whoever
 * shares its address could keep them out. What it asks for another person counts by address, too (`countAs`).
 */
export const subjectIn = (tier: TierName, { client, browser }: FastifyRequest) =>
  (tier === 'strict' && browser.id() && `browser ${browser.id()}`) || client;

function describe(reply: FastifyReply, decision: Decision | undefined) {
  if (decision) setHeaders(reply, limitHeaders(decision));
}

/** What a decision says of itself, names and values in turns. */
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

/** Paths below `/api` that are no endpoint count too, and all below `/mcp`, however they are spelled; the rest as pages. */
function tierOfUnknown({ url, is404, routeOptions }: FastifyRequest): TierName | undefined {
  const [, first, second] = decodeURI(url.split(/[?#]/, 1)[0] ?? '').split('/');
  if (first === 'mcp') return 'mcp';
  // OPTIONS of any path has a route, which is that of preflights.
  const isUnknown = is404 || routeOptions.config.isCatchAll || routeOptions.url === '*';
  if (first !== 'api') return isUnknown ? 'site' : undefined;
  return second === 'admin' ? 'moderate' : 'normal';
}
