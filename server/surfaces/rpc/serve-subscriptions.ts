import type { FastifyInstance, FastifyRequest } from 'fastify';
import { call } from '../../calls/call.ts';
import { ApiError, toApiError } from '../../kernel/api-error.ts';
import type { Context } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { isEventStream } from '../../kernel/event-stream.ts';
import type { Procedure } from '../../kernel/procedures.ts';
import type { Http } from '../http/answer.ts';
import { errorReply, logFailure } from '../http/error-reply.ts';
import { eventStreamType, logOf } from '../http/request-log.ts';
import type { RpcRequest } from './path.ts';
import { rpcError, rpcErrorBody } from './rpc-error.ts';
import { readInput } from './run-calls.ts';
import { subscriptionStream } from './subscription-stream.ts';

interface Subscribing {
  procedure: Procedure;
  rpc: RpcRequest;
  http: Http;
  ctx: Context;
}

/** What a client takes that does not hurry when the server ends. */
const lastWordsMs = 1_000;

const headers = {
  'Content-Type': eventStreamType,
  'Cache-Control': 'no-cache, no-transform',
  // Proxies such as nginx would gather the events.
  'X-Accel-Buffering': 'no',
};

/**
 * Subscriptions as server-sent events. What refuses one is answered with its status, as any other call; what happens
 * later is told as an event. When the server ends, streams end as broken connections do, so that clients come back.
 */
export function createSubscriptions(app: FastifyInstance, { following }: Deps) {
  const open = new Set<() => void>();
  let isEnding = false;
  app.addHook('preClose', async () => {
    isEnding = true;
    for (const end of open) end();
  });

  return async ({ procedure, rpc, http: { request, reply }, ctx }: Subscribing) => {
    if (request.method !== 'GET') throw new ApiError('not_found');
    if (isEnding) return reply.headers(headers).send('');
    const closed = new AbortController();
    reply.raw.once('close', () => closed.abort());
    const getRawInput = async () => withLastEventId(request, readInput(rpc));
    let values: unknown;
    try {
      values = await call(procedure, { ctx, getRawInput, signal: closed.signal });
    } catch (error) {
      errorReply((answer) => rpcErrorBody(answer, procedure.name))(error, request, reply);
      return reply;
    }
    if (!isEventStream(values)) throw new Error(`${procedure.name} returned no stream`);
    const stream = subscriptionStream(values, {
      heartbeatMs: following.heartbeatMs,
      describe: (failure) => describeFailure(procedure, failure, request),
      onClosed() {
        open.delete(end);
        closed.abort();
      },
    });
    const end = () => {
      if (!stream.destroyed) stream.push(null);
      setTimeout(() => reply.raw.destroy(), lastWordsMs).unref();
    };
    open.add(end);
    if (isEnding) end();
    return reply.headers(headers).send(stream);
  };
}

/** Null when nothing is wrong with the call: then the client comes back by itself. */
function describeFailure({ name }: Procedure, failure: unknown, request: FastifyRequest): string | null {
  if (failure instanceof DOMException && failure.name === 'AbortError') return null;
  const error = toApiError(failure, false);
  logFailure(logOf(request), error, { procedure: name });
  return JSON.stringify(rpcError(error, name));
}

/** A client that comes back says in a header what it saw last, or in the address where it can set none. */
function withLastEventId({ headers, query }: FastifyRequest, input: unknown): unknown {
  const last = headers['last-event-id'] ?? new Map(Object.entries(Object(query))).get('lastEventId');
  if (last === undefined || last === '') return input;
  return { ...Object(input), lastEventId: last };
}
