import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import { callProcedure } from '../call-procedure.ts';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { transformer } from '../transformer.ts';
import type { Meta } from '../trpc.ts';
import { type RpcRequest, readRpcRequest } from './rpc-path.ts';

/**
 * Gives the body of a successful answer to requests whose outputs are all kept: tRPC would make a text of the
 * same output for every request anew. Gives null for whatever else comes, each failure included: tRPC then answers from
 * the start, which reads may be.
 */
export function createRpcFromMemory(router: AnyRouter, deps: Deps) {
  const procedures = keptProcedures(router);
  return async (request: FastifyRequest): Promise<Buffer | null> => {
    if (!isPlainGet(request)) return null;
    const rpc = readRpcRequest(request);
    const called = rpc.names.flatMap((name) => procedures.get(name) ?? []);
    if (called.length < rpc.names.length || called.length > maxBatchCalls) return null;
    try {
      const outputs = await callAll(deps, request, rpc, called);
      const batches = outputs.flatMap((output) => deps.answers.renderedOf(output)?.rpcBatch() ?? []);
      return batches.length < outputs.length ? null : join(batches, rpc);
    } catch {
      return null;
    }
  };
}

const open = Buffer.from('[');
const comma = Buffer.from(',');
const close = Buffer.from(']');

/** One body of batches with one answer each. */
function join(batches: readonly Buffer[], { isBatch }: RpcRequest): Buffer {
  const [first] = batches;
  if (first && batches.length === 1) return isBatch ? first : withoutBrackets(first);
  const results = batches.flatMap((batch, place) => [place === 0 ? open : comma, withoutBrackets(batch)]);
  return Buffer.concat([...results, close]);
}

const withoutBrackets = (batch: Buffer) => batch.subarray(1, -1);

function callAll(deps: Deps, request: FastifyRequest, rpc: RpcRequest, called: readonly AnyProcedure[]) {
  const ctx = createContext(deps, request, 'rpc');
  const inputs = readInputs(rpc);
  return Promise.all(
    called.map((procedure, batchIndex) => {
      const input = inputs[batchIndex];
      const getRawInput = async () => (input === undefined ? undefined : transformer.deserialize(input));
      return callProcedure(procedure, { ctx, path: rpc.names[batchIndex] ?? '', batchIndex, getRawInput });
    }),
  );
}

const Inputs = z.record(z.string(), z.unknown());

/** The inputs of the calls by their places; throws when there is no telling. */
function readInputs({ input, isBatch }: RpcRequest): z.infer<typeof Inputs> {
  if (input === null) return {};
  const value: unknown = JSON.parse(input);
  return isBatch ? Inputs.parse(value) : { 0: value };
}

function keptProcedures(router: AnyRouter): ReadonlyMap<string, AnyProcedure> {
  const all = Object.entries<AnyProcedure>(router._def.procedures);
  return new Map(all.filter(([, { _def }]) => (_def.meta as Meta | undefined)?.cached !== undefined));
}

/** Nothing that tRPC would answer in another form. */
const isPlainGet = ({ method, headers, query }: FastifyRequest) =>
  method === 'GET' &&
  headers['content-type'] === undefined &&
  headers['trpc-accept'] === undefined &&
  !headers.accept?.includes('application/jsonl') &&
  !Object.hasOwn(query as object, 'connectionParams');
