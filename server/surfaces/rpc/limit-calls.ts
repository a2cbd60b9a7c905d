import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maxBatchCalls, type TierName } from '../../../shared/contract/limits.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { Procedure } from '../../kernel/procedures.ts';
import { count } from '../../limits/count.ts';
import { subjectIn } from '../http/limit-by-address.ts';
import { readRpcRequest } from './wire-format.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The calls of an RPC request that are over a limit, by their place in the batch. */
    refusedCalls: Map<number, ApiError>;
  }
}

/**
 * Counts each call of an RPC request by itself, in the tier of its procedure, before anything else is looked at; an
 * unknown procedure counts as well. The calls over the limit are noted for their procedures to refuse; when those are
 * all, the request is.
 */
export function limitCalls(rpc: FastifyInstance, procedures: ReadonlyMap<string, Procedure>, deps: Deps) {
  rpc.decorateRequest('refusedCalls');
  rpc.addHook('onRequest', async (request) => {
    request.refusedCalls = new Map();
    const { names } = readRpcRequest(request);
    // A batch that is too long is refused as a whole, so it is one request.
    const counted = names.length > maxBatchCalls ? [''] : names;
    for (const [index, name] of counted.entries()) {
      const refusal = await refusalOf(deps, request, tierOf(procedures.get(name)));
      if (refusal) request.refusedCalls.set(index, refusal);
    }
    const [first] = request.refusedCalls.values();
    if (first && request.refusedCalls.size === counted.length) throw first;
  });
}

async function refusalOf({ limiter }: Deps, request: FastifyRequest, tier: TierName) {
  try {
    await count(limiter, request.decisions, { tier, subject: subjectIn(tier, request) });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const tierOf = (procedure: Procedure | undefined): TierName =>
  procedure?.meta.rpcTier ?? procedure?.meta.tier ?? 'normal';
