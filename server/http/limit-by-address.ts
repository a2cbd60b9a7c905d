import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TierName } from '../../shared/contract/limits.ts';
import { spend } from '../access/limits.ts';
import type { Deps } from '../deps.ts';
import type { ApiError } from '../errors.ts';
import { clientAddress } from './client-address.ts';
import { tightest, type Verdict } from './rate-limiter.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What each limit that the request passed said. */
    verdicts: Verdict[];
    /** The calls of an RPC request that are over a limit, by their place in the batch. */
    refusedCalls: Map<number, ApiError>;
  }
  interface FastifyContextConfig {
    /** Tier that requests to the route count in. */
    tier?: TierName | undefined;
  }
}

/** Counts every request below `/api` by client address before anything else is looked at (DECISIONS 4). */
export function limitByAddress(app: FastifyInstance, deps: Deps) {
  app.decorateRequest('verdicts');
  app.decorateRequest('refusedCalls');
  app.addHook('onRequest', async (request) => {
    request.verdicts = [];
    request.refusedCalls = new Map();
    if (isApi(request)) await spendAddressTier(deps, request);
  });
  app.addHook('onSend', async (request, reply) => {
    const verdict = tightest(request.verdicts ?? []);
    if (!verdict) return;
    reply.header('X-RateLimit-Limit', verdict.limit);
    reply.header('X-RateLimit-Remaining', verdict.remaining);
    reply.header('X-RateLimit-Reset', verdict.resetAt);
    if (!verdict.allowed) reply.header('Retry-After', verdict.retryAfter);
  });
}

/** By the route that was reached: the same one is reached by URLs that read otherwise, such as `/%61pi/v1/posts`. */
const isApi = ({ routeOptions, url }: FastifyRequest) => /^\/api([/?]|$)/.test(routeOptions.url ?? url);

function spendAddressTier({ limiter }: Deps, request: FastifyRequest) {
  const unknown = request.url.startsWith('/api/admin') ? 'moderate' : 'normal';
  const tier = request.routeOptions.config.tier ?? unknown;
  return spend(limiter, request.verdicts, { tier, subject: clientAddress(request.ip) });
}
