import type { AnyRouter, TRPCError } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { maxBatchCalls } from '../../../shared/contract/limits.ts';
import { ApiError, toApiError } from '../../kernel/api-error.ts';
import { call } from '../../kernel/call.ts';
import { codingFor } from '../../kernel/coded.ts';
import type { Context } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { LargeAnswerError, openLargeAnswer, streamOf } from '../../kernel/large-answer.ts';
import { proceduresOf, routerRunBy } from '../../kernel/procedures.ts';
import { rpcErrorBody } from '../../kernel/trpc.ts';
import { logOf } from '../http/answered.ts';
import { replayHeader } from '../http/cors.ts';
import { createContext } from '../http/create-context.ts';
import { errorReply } from '../http/error-reply.ts';
import { sendCoded } from '../http/send-kept.ts';
import { createAnswerBudget, type Gathering } from './answer-budget.ts';
import { refuseSeveralWrites, tagAnswer } from './conditions.ts';
import { batchBody, isLarge, resultBody } from './large-body.ts';
import { limitCalls } from './limit-calls.ts';
import { calledPath, type RpcRequest, readRpcRequest } from './path.ts';
import { keptBody, type Outcomes, runPlainCalls } from './run-calls.ts';
import { createSubscriptions } from './serve-subscriptions.ts';

/** What the answers of batches may take; and one of them, which is more than most lists take. */
const gathered = { mostBytes: 16 * 1024 * 1024, expectedBytes: 512 * 1024 };

/** The typed RPC surface: tRPC with superjson and batching. A query is a GET, a mutation a POST with a JSON body. */
export function serveRpc(app: FastifyInstance, router: AnyRouter, deps: Deps) {
  const procedures = proceduresOf(router);
  const answer = createAnswer(router);
  const subscribe = createSubscriptions(app, deps);
  const gather = createAnswerBudget({
    ...gathered,
    bytesOf: (output) => deps.responses.renderedOf(output)?.bytes,
  });
  app.register(async (rpc) => {
    rpc.removeAllContentTypeParsers();
    rpc.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
      decodeUtf8(body),
    );
    rpc.setErrorHandler(errorReply(rpcErrorBody));
    nameJson(rpc);
    limitCalls(rpc, procedures, deps);
    rpc.all('/trpc', (request, reply) =>
      answer({ request, reply, ctx: createContext(deps, request, 'rpc') }),
    );
    rpc.all('/trpc/*', async (request, reply) => {
      const ctx = createContext(deps, request, 'rpc');
      const asked = readRpcRequest(request);
      const procedure = asked.isBatch ? undefined : procedures.get(asked.names[0] ?? '');
      if (procedure?.type === 'subscription')
        return subscribe({ procedure, rpc: asked, http: { request, reply }, ctx });
      const answers = gather();
      try {
        refuseSeveralWrites(ctx, procedures, asked);
        const outcomes = await runPlainCalls(procedures, ctx, { request, rpc: asked, answers });
        if (outcomes && isLarge(outcomes)) return await sendLarge(outcomes, asked, { request, reply });
        const kept = outcomes && keptBody(outcomes, deps.responses, asked);
        if (!kept) return await answer({ request, reply, ctx, outcomes, answers });
        const [only, ...others] = outcomes;
        if (only?.status === 'fulfilled' && others.length === 0) tagAnswer(ctx, reply, only.value);
        reply.headers(jsonHead);
        if (!('plain' in kept)) return reply.send(kept);
        const coding = codingFor(request.headers['accept-encoding'], kept);
        return await sendCoded({ bytes: kept, coding }, reply);
      } finally {
        endWhenSent(answers, reply);
      }
    });
  });
}

/** Without a tag, and as it would be as a whole. */
async function sendLarge(outcomes: Outcomes, rpc: RpcRequest, { request, reply }: Http) {
  const [only] = outcomes;
  reply.headers(jsonHead);
  if (rpc.isBatch) {
    const hasFailed = outcomes.some((outcome) => outcome.status === 'rejected' && !isLarge([outcome]));
    return reply.code(hasFailed ? 207 : 200).send(streamOf(batchBody(outcomes, rpc)));
  }
  if (only?.status !== 'rejected' || !(only.reason instanceof LargeAnswerError))
    throw new Error('nothing is large');
  try {
    const answer = await openLargeAnswer(only.reason);
    return reply.send(streamOf(resultBody(answer), answer));
  } catch (error) {
    return errorReply((failure) => rpcErrorBody(failure, rpc.names[0]))(error, request, reply);
  }
}

/** Answers up to this size are as good as sent when they are given to the socket. */
const mostBytesAtOnce = 1024 * 1024;

/** A client that reads slowly holds up the batches of others for this long. */
const mostMsToSend = 1_000;

function endWhenSent(answers: Gathering, { raw }: FastifyReply) {
  if (answers.bytes <= mostBytesAtOnce || raw.closed) return answers.end();
  const end = () => {
    clearTimeout(timer);
    raw.off('close', end);
    answers.end();
  };
  const timer = setTimeout(end, mostMsToSend);
  raw.once('close', end);
}

interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

const jsonHead = { 'Content-Type': 'application/json', Vary: 'trpc-accept, accept, Accept-Encoding' };

interface Asked {
  request: FastifyRequest;
  reply: FastifyReply;
  ctx: Context;
  /** What its calls gave, if they were run already. */
  outcomes?: Outcomes | null;
  answers?: Gathering;
}

/** Answers by tRPC's adapter, which reads and writes its wire format; calls that were run already are not run again. */
function createAnswer(router: AnyRouter) {
  const run = new WeakMap<Context, Omit<Asked, 'ctx'>>();
  const wire = routerRunBy(router, async (procedure, native) => {
    const { outcomes, answers, request, reply } = run.get(native.ctx) ?? {};
    const outcome = outcomes?.[native.batchIndex];
    if (outcome?.status === 'rejected') throw outcome.reason;
    const start = () => call(procedure, native);
    const output = outcome ? outcome.value : await (answers ? answers.run(start) : start());
    if (reply && request && readRpcRequest(request).names.length === 1) tagAnswer(native.ctx, reply, output);
    return output;
  });
  return async ({ ctx, ...asked }: Asked) => {
    const { request, reply } = asked;
    if (request.method !== 'GET' && request.method !== 'POST') throw new ApiError('not_found');
    run.set(ctx, asked);
    // Loaded by the first call that it answers: it needs Node's fetch, which takes 11 MB.
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
        const { status, cause } = toApiError(error, type === 'mutation');
        if (status >= 500) logOf(request).error({ err: cause ?? error, procedure: path }, 'internal error');
      },
    });
  };
}

/** The first refusal that another credential would mend says which one; the rest is said as over REST. */
function headersOf(errors: readonly TRPCError[], { once }: Context): Headers {
  const headers = new Headers();
  if (once?.isReplay) headers.set(replayHeader, 'true');
  const refusals = errors.map((error) => toApiError(error, false));
  const [challenge] = refusals.flatMap((refusal) => refusal.challenge ?? []);
  if (challenge) headers.set('WWW-Authenticate', challenge);
  const waits = refusals.flatMap(({ retryAfter }) => retryAfter ?? []);
  if (waits.length > 0) headers.set('Retry-After', `${Math.max(...waits)}`);
  return headers;
}

/** What tRPC answers before it has called a procedure is JSON too, but it leaves out the type, which makes it text. */
function nameJson(rpc: FastifyInstance) {
  rpc.addHook('onSend', async (_request, _reply, payload) => {
    // Its name alone loads Node's fetch, so only what may be one is compared with it.
    const mayBeResponse = typeof payload === 'object' && payload !== null && 'headers' in payload;
    if (mayBeResponse && payload instanceof Response) {
      const isText = payload.headers.get('content-type')?.startsWith('text/plain');
      if (isText) payload.headers.set('content-type', 'application/json');
    }
    return payload;
  });
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw new ApiError('invalid_request', 'invalid request body: not JSON in UTF-8', { cause });
  }
}
