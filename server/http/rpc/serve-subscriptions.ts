import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../../api/api-error.ts';
import { call } from '../../api/calls/call.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { type EventStream, isEventStream } from '../../api/event-stream.ts';
import type { Procedure } from '../../api/procedures.ts';
import { transformer } from '../../api/transformer.ts';
import type { Http } from '../answer.ts';
import { errorReply, logFailure } from '../error-reply.ts';
import { eventStreamType, logOf } from '../request-log.ts';
import { type RpcRequest, readInput, rpcError, rpcErrorBody } from './wire-format.ts';

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

  return async (procedure: Procedure, rpc: RpcRequest, { request, reply }: Http, ctx: Context) => {
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
    const describe = (failure: unknown) => describeFailure(procedure, failure, request);
    const stream = subscriptionStream(values, following.heartbeatMs, describe, () => {
      open.delete(end);
      closed.abort();
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

/** How soon a client should come back that lost its connection. */
const reconnectMs = 1_000;

/** A client that hears nothing for so many heartbeats takes its connection for broken. */
const silentHeartbeats = 3;

/** Bytes that may wait in this process for a client to take them. */
const mostWaitingBytes = 16 * 1024;

/**
 * Values as server-sent events in the format of tRPC's clients. A value is requested after the previous one was read, so nothing
 * accumulates for a slow reader. `describe` returns a failure as JSON, or null to end the stream like a broken connection.
 * `onClosed` is called when the client stops reading.
 */
function subscriptionStream(
  values: EventStream<unknown>,
  heartbeatMs: number,
  describe: (failure: unknown) => string | null,
  onClosed: () => void,
): Readable {
  const iterator = values[Symbol.asyncIterator]();
  let isAsking = false;
  const stream = new Readable({
    highWaterMark: mostWaitingBytes,
    read() {
      if (!isAsking) void sendNext();
    },
    destroy(error, done) {
      clearInterval(heartbeat);
      onClosed();
      done(error);
    },
  });
  const send = (frame: string) => {
    heartbeat.refresh();
    if (!stream.destroyed && !stream.readableEnded) stream.push(frame);
  };
  const end = (last: string | null) => {
    if (stream.destroyed) return;
    if (last !== null) stream.push(last);
    stream.push(null);
  };
  async function sendNext() {
    isAsking = true;
    try {
      const { value, done } = await iterator.next();
      isAsking = false;
      if (done) end(frame({ event: 'return', data: '' }));
      else send(frame({ id: value[0], data: JSON.stringify(transformer.serialize(value[1])) }));
    } catch (failure) {
      const description = describe(failure);
      end(description === null ? null : frame({ event: 'serialized-error', data: description }));
    }
  }
  const heartbeat = setInterval(() => {
    // What waits already shows that the connection is alive, once it is taken.
    if (stream.readableLength === 0) send(frame({ event: 'ping', data: '' }));
  }, heartbeatMs);
  const settings = { reconnectAfterInactivityMs: silentHeartbeats * heartbeatMs };
  send(
    `retry: ${reconnectMs}\n${frame({ event: 'connected', id: values.beginsAfter, data: JSON.stringify(settings) })}`,
  );
  return stream;
}

/** A server-sent event. Clients that lose their connection after it resume from `id`. */
const frame = ({ event, id, data }: { event?: string; id?: string; data: string }) =>
  `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
