import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TierName } from '../../../shared/contract/limits.ts';
import type { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { type Decision, tightest } from '../../kernel/rate-limiter.ts';
import { consume } from '../../limits/consume.ts';
import { countedAs, createAddressReader } from './client-address.ts';
import { isPreflight } from './cors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address as limits count it. */
    client: string;
    /** What each limit that the request passed said. */
    decisions: Decision[];
    /** The calls of an RPC request that are over a limit, by their place in the batch. */
    refusedCalls: Map<number, ApiError>;
  }
  interface FastifyContextConfig {
    /** Tier that requests to the route count in. */
    tier?: TierName | undefined;
    /** Set on a route that takes every path of one segment that no other takes, those of other surfaces too. */
    isCatchAll?: boolean;
  }
}

/** Counts every request below `/api` and to `/mcp` by client address before anything else is looked at. */
export function limitByAddress(app: FastifyInstance, deps: Deps) {
  const addressOf = createAddressReader(deps.config.trustProxy);
  const clientOf = (request: FastifyRequest) =>
    countedAs(addressOf(request.socket.remoteAddress ?? '', forwardedFor(request)));
  app.decorateRequest('client');
  app.decorateRequest('decisions');
  app.decorateRequest('refusedCalls');
  app.addHook('onRequest', async (request) => {
    request.client = clientOf(request);
    request.decisions = [];
    request.refusedCalls = new Map();
    const tier = request.routeOptions.config.tier ?? tierOfUnknown(request);
    if (tier) await consume(deps.limiter, request.decisions, { tier, subject: request.client });
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!isPreflight(request)) {
      describe(reply, tightest(request.decisions ?? []));
      return done();
    }
    // A preflight is not counted, but its answer shows how many requests are left.
    const tier = tierOfUnknown(request);
    if (!tier) return done();
    deps.limiter.peek(tier, clientOf(request)).then((decision) => {
      describe(reply, decision ? { ...decision, allowed: true } : undefined);
      done();
    }, done);
  });
}

function describe(reply: FastifyReply, decision: Decision | undefined) {
  if (!decision) return;
  reply.header('X-RateLimit-Limit', decision.limit);
  reply.header('X-RateLimit-Remaining', decision.remaining);
  reply.header('X-RateLimit-Reset', decision.resetAt);
  if (!decision.allowed) reply.header('Retry-After', decision.retryAfter);
}

/** A header that came more than once is one list (RFC 9110, 5.3). */
const forwardedFor = ({ headers }: FastifyRequest) => headers['x-forwarded-for']?.toString();

/** Paths below `/api` that are no endpoint count too, and all below `/mcp`, however they are spelled; the rest as pages. */
function tierOfUnknown({ url, is404, routeOptions }: FastifyRequest): TierName | undefined {
  const [, first, second] = decodeURI(url.split(/[?#]/, 1)[0] ?? '').split('/');
  if (first === 'mcp') return 'mcp';
  if (first !== 'api') return is404 || routeOptions.config.isCatchAll ? 'site' : undefined;
  return second === 'admin' ? 'moderate' : 'normal';
}
