import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maxBatchCalls, type TierName } from '../../shared/contract/limits.ts';
import { spend } from '../access/limits.ts';
import type { Deps } from '../deps.ts';
import { ApiError } from '../errors.ts';
import type { Meta } from '../trpc.ts';
import { readRpcRequest } from './rpc-path.ts';

/**
 * Counts each call of an RPC request by itself, in the tier of its procedure, before anything else is looked at; an
 * unknown procedure counts as well. The calls over the limit are noted for their procedures to refuse; when those are
 * all, the request is.
 */
export function limitCalls(rpc: FastifyInstance, router: AnyRouter, deps: Deps) {
  const tiers = tiersByName(router);
  rpc.addHook('onRequest', async (request) => {
    const { names } = readRpcRequest(request);
    // A batch that is too long is refused as a whole, so it is one request.
    const counted = names.length > maxBatchCalls ? [''] : names;
    for (const [index, name] of counted.entries()) {
      const refusal = await refusalOf(deps, request, tiers.get(name) ?? 'normal');
      if (refusal) request.refusedCalls.set(index, refusal);
    }
    const [first] = request.refusedCalls.values();
    if (first && request.refusedCalls.size === counted.length) throw first;
  });
}

async function refusalOf({ limiter }: Deps, request: FastifyRequest, tier: TierName) {
  try {
    await spend(limiter, request.verdicts, { tier, subject: request.client });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function tiersByName(router: AnyRouter): ReadonlyMap<string, TierName | undefined> {
  const procedures = Object.entries<AnyProcedure>(router._def.procedures);
  return new Map(
    procedures.map(([name, { _def }]) => {
      const meta = _def.meta as Meta | undefined;
      return [name, meta?.rpcTier ?? meta?.tier];
    }),
  );
}
