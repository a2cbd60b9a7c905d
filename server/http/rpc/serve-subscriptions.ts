import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../../api/api-error.ts';
import { call } from '../../api/calls/call.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { type EventStream, isEventStream } from '../../api/event-stream.ts';
import type { Procedure } from '../../api/procedures.ts';
import { transformer } from '../../api/transformer.ts';
import { errorReply, logFailure } from '../error-reply.ts';
import { eventStreamType, logOf } from '../request-log.ts';
import type { Http } from '../send-representation.ts';
import { type RpcRequest, readInput, rpcError, rpcErrorBody } from './wire-format.ts';

/** Time for clients to read the last event when the server ends, in milliseconds. */
const lastWordsMs = 1_000;

const headers = {
  'Content-Type': eventStreamType,
  'Cache-Control': 'no-cache, no-transform',
  // Keeps proxies such as nginx from buffering events.
  'X-Accel-Buffering': 'no',
};

/**
 * Serves subscriptions as server-sent events. A refusal has the status of any other call; later failures are events.
 * When the server ends, streams end like broken connections, so that clients reconnect.
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

/** Describes a failure; null if only the connection ended, so that the client reconnects. */
function describeFailure({ name }: Procedure, failure: unknown, request: FastifyRequest): string | null {
  if (failure instanceof DOMException && failure.name === 'AbortError') return null;
  const error = toApiError(failure, false);
  logFailure(logOf(request), error, { procedure: name });
  return JSON.stringify(rpcError(error, name));
}

/**
 * Adds the id of the last event that a reconnecting client received, from its header, or from the query if the client
 * cannot set headers.
 */
function withLastEventId({ headers, query }: FastifyRequest, input: unknown): unknown {
  const last = headers['last-event-id'] ?? new Map(Object.entries(Object(query))).get('lastEventId');
  if (last === undefined || last === '') return input;
  return { ...Object(input), lastEventId: last };
}

/** Delay before a client reconnects, in milliseconds. */
const reconnectMs = 1_000;

/** Number of missed heartbeats after which a client considers its connection broken. */
const silentHeartbeats = 3;

/**
 * Number of bytes that wait in this process for a client, from which no further event is requested. A large event can
 * exceed it.
 */
const maxWaitingBytes = 16 * 1024;

/**
 * Creates server-sent events of values in the format of tRPC's clients. Values are requested until 16 KiB wait for the
 * client, so a slow reader occupies little more memory than that, unless one event is larger. `describe` returns a
 * failure as JSON, or null to end the stream like a broken connection. `onClosed` is called when the stream closes.
 */
function subscriptionStream(
  values: EventStream<unknown>,
  heartbeatMs: number,
  describe: (failure: unknown) => string | null,
  onClosed: () => void,
): Readable {
  const iterator = values[Symbol.asyncIterator]();
  let isSending = false;
  const stream = new Readable({
    highWaterMark: maxWaitingBytes,
    read() {
      if (!isSending) void sendNext();
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
    isSending = true;
    try {
      const { value, done } = await iterator.next();
      isSending = false;
      if (done) end(frame({ event: 'return', data: '' }));
      else send(frame({ id: value[0], data: JSON.stringify(transformer.serialize(value[1])) }));
    } catch (failure) {
      const description = describe(failure);
      end(description === null ? null : frame({ event: 'serialized-error', data: description }));
    }
  }
  const heartbeat = setInterval(() => {
    // Waiting data already shows that the connection works, once it is read.
    if (stream.readableLength === 0) send(frame({ event: 'ping', data: '' }));
  }, heartbeatMs);
  const settings = { reconnectAfterInactivityMs: silentHeartbeats * heartbeatMs };
  send(
    `retry: ${reconnectMs}\n${frame({ event: 'connected', id: values.beginsAfter, data: JSON.stringify(settings) })}`,
  );
  return stream;
}

/** Formats a server-sent event. Clients that lose their connection after it resume from `id`. */
const frame = ({ event, id, data }: { event?: string; id?: string; data: string }) =>
  `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
