import type { FastifyInstance } from 'fastify';
import { maxBatchCalls } from '../../../shared/contract/limits.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import type { Procedure } from '../../api/procedures.ts';
import { subjectIn } from '../limit-by-address.ts';
import { readRpcRequest } from './wire-format.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Calls of an RPC request that exceed a limit, by their index in the batch. */
    refusedCalls: Map<number, ApiError>;
  }
}

/**
 * Counts each call of an RPC request in the rate limit tier of its procedure, before any other check; unknown procedures
 * count too. Calls over the limit fail individually; if all are, the request fails as a whole.
 */
export function limitCalls(
  rpc: FastifyInstance,
  procedures: ReadonlyMap<string, Procedure>,
  { limiter }: Deps,
) {
  rpc.decorateRequest('refusedCalls');
  rpc.addHook('onRequest', async (request) => {
    request.refusedCalls = new Map();
    const { names } = readRpcRequest(request);
    // A batch that is too long is refused as a whole, so it counts as one request.
    const called = names.length > maxBatchCalls ? [''] : names;
    for (const [index, name] of called.entries()) {
      const meta = procedures.get(name)?.meta;
      const tier = meta?.rpcTier ?? meta?.tier ?? 'normal';
      const counted = { tier, subject: subjectIn(tier, request) };
      await count(limiter, request.decisions, counted).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        request.refusedCalls.set(index, error);
      });
    }
    const [first] = request.refusedCalls.values();
    if (first && request.refusedCalls.size === called.length) throw first;
  });
}
