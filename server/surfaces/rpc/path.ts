import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { decodedPath } from '../../../shared/decoded-path.ts';

/** What a request calls, as it came: procedure names with commas between them. */
export const calledPath = ({ params }: FastifyRequest) => Params.parse(params)['*'];

const Params = z.object({ '*': z.string().default('') });

export interface RpcRequest {
  /** The procedures it calls: one, or as many as its batch has. */
  names: string[];
  isBatch: boolean;
  /** JSON of a query's input, or of a batch's by their places. */
  input: string | null;
}

/** Reads the URL as tRPC does. */
export function readRpcRequest(request: FastifyRequest): RpcRequest {
  const query = URL.parse(request.url, 'http://localhost')?.searchParams;
  // One that can't be read is refused by tRPC; until then it is one call.
  const path = decodedPath(calledPath(request));
  const isBatch = query?.get('batch') === '1';
  return { names: isBatch ? path.split(',') : [path], isBatch, input: query?.get('input') ?? null };
}
