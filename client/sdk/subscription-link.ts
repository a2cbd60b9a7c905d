import { TRPCClientError, type TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { isApiError } from './api-error.ts';
import { NoAnswer, parse, withRequestId } from './json-fetch.ts';
import { occasionToRepeat } from './repeat.ts';
import { onAbort, type Time, wait } from './time.ts';
import { values } from './values.ts';

interface Wire {
  url: URL;
  headers: Record<string, string>;
  fetch: typeof fetch;
  /** Maximum number of retries of the first connection. A connection that broke later is retried without limit. */
  retries: number;
}

/**
 * Time without data after which a connection counts as broken, in milliseconds. The service sends something every 15
 * seconds.
 */
const silenceMs = 45_000;

const maxWaitMs = 30_000;

/**
 * Follows events over an open connection.
 *
 * States and transitions:
 * - connecting: the first attempts are limited by `retries`.
 * - connected: events arrive. A connection that ends, breaks or is silent for 45 seconds is opened again after a random
 *   delay that grows up to 30 seconds. It continues after the last received ID, so that no event is missed or repeated.
 * - ended: the caller unsubscribed, or the service returned an error that a retry would not fix.
 *
 * It uses `fetch`, because a browser's EventSource cannot send an API key.
 */
export function subscriptionLink(wire: Wire, time: Time): TRPCLink<AnyRouter> {
  return () =>
    ({ op: { path, input, signal } }) =>
      observable((observer) => {
        const ended = new AbortController();
        const forget = signal && onAbort(signal, () => ended.abort());
        const url = new URL(`${wire.url.href}/${path}`);
        if (input) url.searchParams.set('input', JSON.stringify(values.serialize(input)));
        const report = (error: TRPCClientError<AnyRouter> | null) =>
          observer.next({
            result: error
              ? { type: 'state', state: 'connecting', error }
              : { type: 'state', state: 'pending', error },
          });
        const follow = async () => {
          for await (const { type, id, data } of events({ ...wire, url }, time, ended.signal, report)) {
            if (type === 'connected') observer.next({ result: { type: 'started' } });
            if (type !== 'message') continue;
            const item = { id, data: values.deserialize(JSON.parse(data)) };
            observer.next({ result: { type: 'data', data: item } });
          }
        };
        follow()
          .then(observer.complete, (error) => observer.error(error))
          .finally(forget);
        return () => ended.abort();
      });
}

/** Yields the events of all connections until `signal` aborts. */
async function* events(
  wire: Wire,
  time: Time,
  signal: AbortSignal,
  report: (error: TRPCClientError<AnyRouter> | null) => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  let lastId: string | undefined;
  let wasConnected = false;
  for (let failures = 0; !signal.aborted; failures++) {
    const connection = new AbortController();
    const forget = onAbort(signal, () => connection.abort());
    let callOff = () => {};
    const onBytes = () => {
      callOff();
      callOff = time.setAlarm(silenceMs, () => connection.abort(new Error(`no data for ${silenceMs} ms`)));
    };
    let seconds = 0;
    try {
      onBytes();
      for await (const event of await connect(wire, lastId, connection.signal, onBytes)) {
        lastId = event.id ?? lastId;
        if (event.type === 'serialized-error') throw refusal(event.data);
        if (event.type === 'message') failures = 0;
        if (event.type === 'connected') {
          wasConnected = true;
          report(null);
        }
        yield event;
      }
      throw new Error('the connection ended');
    } catch (cause) {
      if (signal.aborted) return;
      const error = TRPCClientError.from<AnyRouter>(
        isReported(cause) ? cause : new NoAnswer(wire.url, cause),
      );
      const occasion = occasionToRepeat(error);
      const isFull = isApiError(error) && error.data.code === 'too_many_followers';
      const mayRepeat = wasConnected ? wire.retries > 0 : failures < wire.retries && !isFull;
      if (!occasion || !mayRepeat) throw error;
      report(error);
      seconds = occasion.seconds;
    } finally {
      callOff();
      forget();
      connection.abort();
    }
    const maxMs = Math.min(500 * 2 ** failures, maxWaitMs);
    await wait(time, seconds * 1_000 + maxMs * time.random(), signal).catch(() => {});
  }
}

async function connect(
  { url, headers, fetch }: Wire,
  lastId: string | undefined,
  signal: AbortSignal,
  onBytes: () => void,
) {
  const response = await fetch(url, {
    headers: { ...headers, Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) },
    signal,
  });
  if (response.ok && response.body) return serverEvents(response.body, onBytes);
  const answer = parse(await response.text(), response);
  throw withRequestId(refusal(JSON.stringify(Object(answer).error ?? null)), response.headers);
}

/** Converts an error of the service into an exception. */
const refusal = (data: string) =>
  TRPCClientError.from<AnyRouter>({ error: values.deserialize(JSON.parse(data)) });

/** True if the service or a proxy stated the reason; otherwise the connection broke. */
const isReported = (cause: unknown) => cause instanceof TRPCClientError || cause instanceof NoAnswer;

interface ServerEvent {
  /** Type of the event; `message` by default. */
  type: string;
  id: string | undefined;
  data: string;
}

/** Yields the events of a stream until it ends. `onBytes` is called for all data, including keep-alive comments. */
async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  let event: Partial<ServerEvent> = {};
  for await (const line of linesOf(body, onBytes)) {
    const { type = 'message', id, data } = event;
    // A block without data is not an event, such as a comment that keeps the connection open.
    if (line === '' && data !== undefined) yield { type, id, data };
    if (line === '') event = {};
    const [name = ''] = line.split(':', 1);
    const value = line.slice(name.length + 1).replace(/^ /, '');
    if (name === 'event') event.type = value || 'message';
    if (name === 'id') event.id = value;
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
  }
}

/** Yields lines, which end with CR LF, LF or CR. A CR LF may be split between two chunks. */
async function* linesOf(body: ReadableStream<Uint8Array>, onBytes: () => void) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isAfterCr = false;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    const text = decoder.decode(value, { stream: true });
    if (text === '') continue;
    const lines = (rest + (isAfterCr ? text.replace(/^\n/, '') : text)).split(/\r\n|\n|\r/);
    isAfterCr = text.endsWith('\r');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
