import { getTRPCErrorShape, type TRPCError } from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { decodedPath } from '../../../shared/contract/site-paths.ts';
import { ApiError } from '../../api/api-error.ts';
import { transformer } from '../../api/transformer.ts';
import { t } from '../../api/trpc.ts';

/** Returns the procedure names in the path, separated by commas, as they were sent. */
export const calledPath = ({ params }: FastifyRequest) => Params.parse(params)['*'];

const Params = z.object({ '*': z.string().default('') });

export interface RpcRequest {
  names: string[];
  isBatch: boolean;
  /** JSON of a query's input, or of a batch's inputs by their index. */
  input: string | null;
}

/**
 * Returns the procedure names and the unparsed input in the URL of a request, as tRPC reads them. `input` is null if there
 * is none.
 */
export function readRpcRequest(request: FastifyRequest): RpcRequest {
  const query = URL.parse(request.url, 'http://localhost')?.searchParams;
  // tRPC refuses an undecodable path; it counts as one call.
  const path = decodedPath(calledPath(request));
  const isBatch = query?.get('batch') === '1';
  return { names: isBatch ? path.split(',') : [path], isBatch, input: query?.get('input') ?? null };
}

/**
 * Returns the input of a request with one call; undefined if it has none. Throws `invalid_request` if it is not JSON.
 */
export function readInput(rpc: RpcRequest): unknown {
  const inputs = readInputs(rpc);
  if (!inputs) throw new ApiError('invalid_request');
  return inputs[0] === undefined ? undefined : transformer.deserialize(inputs[0]);
}

const Inputs = z.record(z.string(), z.unknown());

/** Returns the inputs of the calls by index, empty without input; null if they are not JSON. */
export function readInputs({ input, isBatch }: RpcRequest): z.infer<typeof Inputs> | null {
  if (input === null) return {};
  try {
    const value: unknown = JSON.parse(input);
    return isBatch ? (Inputs.safeParse(value).data ?? null) : { 0: value };
  } catch {
    return null;
  }
}

/** Converts an error to the object that tRPC sends. `path` is the failed procedure, if one was called. */
export function rpcError(error: TRPCError, path?: string) {
  const about = { error, type: 'unknown', path, input: undefined, ctx: undefined } as const;
  return transformer.serialize(getTRPCErrorShape({ config: t._config, ...about }));
}

/** Returns the RPC body, as an object, for a request that failed as a whole. */
export const rpcErrorBody = (error: TRPCError, path?: string) => ({ error: rpcError(error, path) });
