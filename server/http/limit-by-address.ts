import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TierName } from '../../shared/contract/limits.ts';
import { spend } from '../access/limits.ts';
import type { Deps } from '../deps.ts';
import type { ApiError } from '../errors.ts';
import { clientAddress } from './client-address.ts';
import { tightest, type Verdict } from './rate-limiter.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address as limits count it. */
    client: string;
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

/** Counts every request below `/api` and to `/mcp` by client address before anything else is looked at (DECISIONS 4). */
export function limitByAddress(app: FastifyInstance, deps: Deps) {
  app.decorateRequest('client');
  app.decorateRequest('verdicts');
  app.decorateRequest('refusedCalls');
  app.addHook('onRequest', async (request) => {
    request.client = clientAddress(request.ip);
    request.verdicts = [];
    request.refusedCalls = new Map();
    const tier = request.routeOptions.config.tier ?? tierOfUnknown(request);
    if (tier) await spend(deps.limiter, request.verdicts, { tier, subject: request.client });
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const verdict = tightest(request.verdicts ?? []);
    if (verdict) {
      reply.header('X-RateLimit-Limit', verdict.limit);
      reply.header('X-RateLimit-Remaining', verdict.remaining);
      reply.header('X-RateLimit-Reset', verdict.resetAt);
      if (!verdict.allowed) reply.header('Retry-After', verdict.retryAfter);
    }
    done();
  });
}

/** Paths below `/api` that are no endpoint count too, and all below `/mcp`, however they are spelled. */
function tierOfUnknown({ url }: FastifyRequest): TierName | undefined {
  const [, first, second] = decodeURI(url.split(/[?#]/, 1)[0] ?? '').split('/');
  if (first === 'mcp') return 'mcp';
  if (first !== 'api') return undefined;
  return second === 'admin' ? 'moderate' : 'normal';
}
