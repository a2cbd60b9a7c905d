import type { AnyRouter, TRPCError } from '@trpc/server';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { maxBatchCalls } from '../../../shared/contract/limits.ts';
import { codingFor } from '../../../shared/runtime/compressed-body.ts';
import { findSiteTokenPrefix } from '../../api/access/credentials.ts';
import { ApiError, toApiError } from '../../api/api-error.ts';
import { call } from '../../api/calls/call.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { entityTag } from '../../api/entity-tag.ts';
import { LargeAnswerError } from '../../api/large-answer.ts';
import { type Procedure, proceduresOf, routerRunBy } from '../../api/procedures.ts';
import { decodedJson } from '../body.ts';
import { replayHeader } from '../cors.ts';
import { createContext } from '../create-context.ts';
import { errorHeaders, errorReply, logFailure } from '../error-reply.ts';
import { type LargeAnswer, openLargeAnswer, timedBody } from '../large-answer.ts';
import { logOf } from '../request-log.ts';
import { type Http, sendBody } from '../send-representation.ts';
import { type BatchBudget, createAnswerBudget } from './answer-budget.ts';
import { batchBody, isLarge, resultBody } from './large-body.ts';
import { limitCalls } from './limit-calls.ts';
import { cachedBody, type Outcomes, runPlainCalls } from './run-calls.ts';
import { createSubscriptions } from './serve-subscriptions.ts';
import { calledPath, type RpcRequest, readRpcRequest, rpcErrorBody } from './wire-format.ts';

/** Memory limits of batches. `expectedBytes` is more than most lists have. */
const batchLimits = {
  maxBytes: 16 * 1024 * 1024,
  maxBytesPerClient: 6 * 1024 * 1024,
  expectedBytes: 512 * 1024,
};

/** Serves the typed RPC surface: tRPC with superjson and batching. A query is a GET, a mutation a POST with a JSON body. */
export function serveRpc(app: FastifyInstance, router: AnyRouter, deps: Deps) {
  const procedures = proceduresOf(router);
  const answer = createAnswer(router);
  const subscribe = createSubscriptions(app, deps);
  const openBatch = createAnswerBudget({
    ...batchLimits,
    bytesOf: (output) => deps.responses.renderedOf(output)?.bytes,
  });
  app.register(async (rpc) => {
    rpc.removeAllContentTypeParsers();
    rpc.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
      decodedJson(body),
    );
    rpc.setErrorHandler(errorReply(rpcErrorBody));
    nameJson(rpc);
    limitCalls(rpc, procedures, deps);
    rpc.all('/trpc', (request, reply) =>
      answer({ request, reply, ctx: createContext(deps, request, 'rpc') }),
    );
    rpc.all('/trpc/*', async (request, reply) => {
      const ctx = createContext(deps, request, 'rpc');
      const rpcRequest = readRpcRequest(request);
      const procedure = rpcRequest.isBatch ? undefined : procedures.get(rpcRequest.names[0] ?? '');
      if (procedure?.type === 'subscription')
        return subscribe(procedure, rpcRequest, { request, reply }, ctx);
      // The answer to a single call waits for no other.
      const answers = rpcRequest.isBatch
        ? openBatch(findSiteTokenPrefix(request.headers.authorization) ?? request.client)
        : undefined;
      try {
        refuseLongBatch(rpcRequest);
        refuseBatchedWrites(ctx, procedures, rpcRequest);
        const outcomes = await runPlainCalls(procedures, ctx, request, rpcRequest, answers);
        if (outcomes && isLarge(outcomes))
          return await sendLarge(outcomes, rpcRequest, deps, { request, reply });
        const cached = outcomes && cachedBody(outcomes, deps.responses, rpcRequest);
        if (!cached) return await answer({ request, reply, ctx, outcomes, answers });
        const [only, ...others] = outcomes;
        if (only?.status === 'fulfilled' && others.length === 0) tagAnswer(ctx, reply, only.value);
        reply.headers(jsonHead);
        if (!('plain' in cached)) return reply.send(cached);
        return await sendBody(cached, codingFor(request.headers['accept-encoding'], cached), reply);
      } finally {
        if (answers) endWhenSent(answers, reply);
      }
    });
  });
}

/** Sends an answer with large lists in parts, without an entity tag. */
async function sendLarge(outcomes: Outcomes, rpc: RpcRequest, deps: Deps, { request, reply }: Http) {
  const [only] = outcomes;
  reply.headers(jsonHead);
  if (rpc.isBatch) {
    const hasFailed = outcomes.some((outcome) => outcome.status === 'rejected' && !isLarge([outcome]));
    let current: LargeAnswer | undefined;
    const texts = batchBody(outcomes, rpc, (answer) => {
      current = answer;
    });
    return reply.code(hasFailed ? 207 : 200).send(timedBody(texts, deps.timeouts.largeAnswer, () => current));
  }
  if (only?.status !== 'rejected' || !(only.reason instanceof LargeAnswerError))
    throw new Error('sendLarge was called for a request without a large answer');
  try {
    const answer = await openLargeAnswer(only.reason);
    return reply.send(timedBody(resultBody(answer), deps.timeouts.largeAnswer, () => answer));
  } catch (error) {
    return errorReply((failure) => rpcErrorBody(failure, rpc.names[0]))(error, request, reply);
  }
}

/** Maximum bytes of answers that count as sent as soon as the socket has them. */
const maxBufferedBytes = 1024 * 1024;

/** Time for which a slow reader's batch delays those of others, in milliseconds. */
const maxMsToSend = 1_000;

function endWhenSent(answers: BatchBudget, { raw }: FastifyReply) {
  if (answers.bytes() <= maxBufferedBytes || raw.closed) return answers.end();
  const end = () => {
    clearTimeout(timer);
    raw.off('close', end);
    answers.end();
  };
  const timer = setTimeout(end, maxMsToSend);
  raw.once('close', end);
}

const jsonHead = { 'Content-Type': 'application/json', Vary: 'trpc-accept, accept, Accept-Encoding' };

interface Exchange extends Http {
  ctx: Context;
  outcomes?: Outcomes | null;
  answers?: BatchBudget | undefined;
}

/**
 * Creates a function that answers a request through tRPC's adapter, which reads and writes its wire format. If
 * `runPlainCalls` ran the calls of the request, the adapter only formats their outcomes.
 */
function createAnswer(router: AnyRouter) {
  const run = new WeakMap<Context, Omit<Exchange, 'ctx'>>();
  const wire = routerRunBy(router, async (procedure, native) => {
    const { outcomes, answers, request, reply } = run.get(native.ctx) ?? {};
    const outcome = outcomes?.[native.batchIndex];
    if (outcome?.status === 'rejected') throw outcome.reason;
    const refusal = request?.refusedCalls.get(native.batchIndex);
    const start = () => call(procedure, { ...native, refusal });
    const output = outcome ? outcome.value : await (answers ? answers.run(start) : start());
    if (reply && request && readRpcRequest(request).names.length === 1) tagAnswer(native.ctx, reply, output);
    return output;
  });
  return async ({ ctx, ...exchange }: Exchange) => {
    const { request, reply } = exchange;
    if (request.method !== 'GET' && request.method !== 'POST') throw new ApiError('not_found');
    run.set(ctx, exchange);
    // Loaded on first use: it needs Node's fetch, which takes 11 MB.
    const { fastifyRequestHandler } = await import('@trpc/server/adapters/fastify');
    await fastifyRequestHandler({
      req: request,
      res: reply,
      path: calledPath(request),
      router: wire,
      maxBatchSize: maxBatchCalls,
      createContext: () => ctx,
      responseMeta: ({ errors }) => ({ headers: headersOf(errors, ctx) }),
      onError({ error, path, type }) {
        logFailure(logOf(request), toApiError(error, type === 'mutation'), { procedure: path });
      },
    });
  };
}

const headersOf = (errors: readonly TRPCError[], { idempotency }: Context) =>
  new Headers({
    ...(idempotency?.isReplay && { [replayHeader]: 'true' }),
    ...errorHeaders(errors.map((error) => toApiError(error, false))),
  });

/**
 * Sets the JSON content type of responses that tRPC sends before it calls a procedure. tRPC sets none, so they would
 * count as text.
 */
function nameJson(rpc: FastifyInstance) {
  rpc.addHook('onSend', async (_request, _reply, payload) => {
    // Using the global `Response` loads Node's fetch, so only likely values are compared with it.
    const mayBeResponse = typeof payload === 'object' && payload !== null && 'headers' in payload;
    if (mayBeResponse && payload instanceof Response) {
      const isText = payload.headers.get('content-type')?.startsWith('text/plain');
      if (isText) payload.headers.set('content-type', 'application/json');
    }
    return payload;
  });
}

/** Refuses a batch that is too long, with a message; tRPC would send none. */
function refuseLongBatch({ names }: RpcRequest) {
  if (names.length > maxBatchCalls)
    throw new ApiError('invalid_request', `a batch has at most ${maxBatchCalls} calls`);
}

/**
 * Throws `invalid_request` if a batch with several writes has `Idempotency-Key` or `If-Match`: each of these headers
 * belongs to one write.
 */
function refuseBatchedWrites(
  { idempotency, ifMatch }: Context,
  procedures: ReadonlyMap<string, Procedure>,
  { names }: RpcRequest,
) {
  if (!idempotency && !ifMatch) return;
  const writes = names.filter((name) => procedures.get(name)?.isWrite);
  if (writes.length < 2) return;
  const header = idempotency ? 'Idempotency-Key' : 'If-Match';
  throw new ApiError('invalid_request', `${header}: is supported only in a batch with a single write`);
}

/** Sets the entity tag of a request with one call, as over REST, if the answer has one record. */
function tagAnswer({ answer, deps }: Context, reply: FastifyReply, output: unknown) {
  const { revision } = answer;
  if (revision === undefined) return;
  const etag = deps.responses.renderedOf(output)?.etag() ?? entityTag(JSON.stringify(output), revision);
  reply.header('ETag', etag);
}
