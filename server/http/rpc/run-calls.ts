import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { maxBatchCalls } from '../../../shared/contract/limits.ts';
import type { CompressedBody } from '../../../shared/runtime/compressed-body.ts';
import { call } from '../../api/calls/call.ts';
import type { Context } from '../../api/context.ts';
import type { Procedure } from '../../api/procedures.ts';
import type { ResponseCache } from '../../api/response-cache.ts';
import { transformer } from '../../api/transformer.ts';
import type { BatchBudget } from './answer-budget.ts';
import { type RpcRequest, readInputs } from './wire-format.ts';

/** Outcomes of a request's calls, in order. */
export type Outcomes = readonly PromiseSettledResult<unknown>[];

/**
 * Runs the calls of a plain GET. Returns null for other requests and for unreadable inputs, which tRPC's adapter
 * handles.
 */
export async function runPlainCalls(
  procedures: ReadonlyMap<string, Procedure>,
  ctx: Context,
  request: FastifyRequest,
  rpc: RpcRequest,
  answers: BatchBudget | undefined,
): Promise<Outcomes | null> {
  if (!isPlainGet(request)) return null;
  const called = rpc.names.flatMap((name) => procedures.get(name) ?? []);
  const areQueries = called.every(({ type }) => type === 'query');
  if (!areQueries || called.length < rpc.names.length || called.length > maxBatchCalls) return null;
  const inputs = readInputs(rpc);
  if (!inputs) return null;
  return Promise.allSettled(
    called.map((procedure, index) => {
      const input = inputs[index];
      const refusal = request.refusedCalls.get(index);
      const getRawInput = async () => (input === undefined ? undefined : transformer.deserialize(input));
      const run = () => call(procedure, { ctx, refusal, getRawInput });
      return answers ? answers.run(run) : run();
    }),
  );
}

/** Returns the body of an answer whose outputs are all cached; null if one is not, or failed. */
export function cachedBody(
  outcomes: Outcomes,
  responses: ResponseCache,
  rpc: RpcRequest,
): CompressedBody | Buffer | Readable | null {
  const batches = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' ? (responses.renderedOf(outcome.value)?.rpcBatch() ?? []) : [],
  );
  return batches.length < outcomes.length ? null : join(batches, rpc);
}

const open = Buffer.from('[');
const comma = Buffer.from(',');
const close = Buffer.from(']');

/** Maximum bytes up to which copying parts into one buffer costs less than sending them separately. */
const maxCopiedBytes = 64 * 1024;

function join(
  batches: readonly CompressedBody[],
  { isBatch }: RpcRequest,
): CompressedBody | Buffer | Readable {
  const [first] = batches;
  if (first && batches.length === 1) return isBatch ? first : withoutBrackets(first);
  const results = batches.flatMap((batch, index) => [index === 0 ? open : comma, withoutBrackets(batch)]);
  const parts = [...results, close];
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  return bytes <= maxCopiedBytes ? Buffer.concat(parts, bytes) : Readable.from(parts, { objectMode: false });
}

const withoutBrackets = (batch: CompressedBody) => batch.plain().subarray(1, -1);

/** True if tRPC would answer in its plain JSON format. */
const isPlainGet = ({ method, headers, query }: FastifyRequest) =>
  method === 'GET' &&
  headers['content-type'] === undefined &&
  headers['trpc-accept'] === undefined &&
  !headers.accept?.includes('application/jsonl') &&
  !Object.hasOwn(Object(query), 'connectionParams');
