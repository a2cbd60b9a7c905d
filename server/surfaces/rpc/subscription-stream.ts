import { Readable } from 'node:stream';
import type { EventStream } from '../../kernel/event-stream.ts';
import { transformer } from '../../kernel/transformer.ts';

interface StreamOptions {
  heartbeatMs: number;
  /** How clients are told of a failure, in JSON; null for an end that they should take for a broken connection. */
  describe(failure: unknown): string | null;
  /** Called once nobody reads any longer. */
  onClosed(): void;
}

/** How soon a client should come back that lost its connection. */
const reconnectMs = 1_000;

/** A client that hears nothing for so many heartbeats takes its connection for broken. */
const silentHeartbeats = 3;

/** Bytes that may wait in this process for a client to take them. */
const mostWaitingBytes = 16 * 1024;

/**
 * Values as server-sent events, in the words that tRPC's clients know. A value is asked for when the one before has been
 * taken, so a slow reader holds up its own values and nothing is piled up for it.
 */
export function subscriptionStream(values: EventStream<unknown>, options: StreamOptions): Readable {
  const iterator = values[Symbol.asyncIterator]();
  let isAsking = false;
  const stream = new Readable({
    highWaterMark: mostWaitingBytes,
    read() {
      if (!isAsking) void sendNext();
    },
    destroy(error, done) {
      clearInterval(heartbeat);
      options.onClosed();
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
      const description = options.describe(failure);
      end(description === null ? null : frame({ event: 'serialized-error', data: description }));
    }
  }
  const heartbeat = setInterval(() => {
    // What waits already shows that the connection is alive, once it is taken.
    if (stream.readableLength === 0) send(frame({ event: 'ping', data: '' }));
  }, options.heartbeatMs);
  const settings = { reconnectAfterInactivityMs: silentHeartbeats * options.heartbeatMs };
  send(
    `retry: ${reconnectMs}\n${frame({ event: 'connected', id: values.beginsAfter, data: JSON.stringify(settings) })}`,
  );
  return stream;
}

interface Frame {
  /** A message when left out. */
  event?: string;
  /** Where a client goes on that loses its connection after this. */
  id?: string;
  data: string;
}

const frame = ({ event, id, data }: Frame) =>
  `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
