import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { startApp } from './app.ts';
import { captureLog } from './log.ts';

/** Request to compare. `method` defaults to GET. */
interface Asking {
  path: string;
  headers?: Record<string, string> | undefined;
  method?: string;
}

/** Counts the requests of this process that reached their routes. */
function countRouted() {
  let routed = 0;
  const count = () => {
    routed += 1;
  };
  const channel = 'tracing:fastify.request.handler:start';
  subscribe(channel, count);
  return { routed: () => routed, [Symbol.dispose]: () => void unsubscribe(channel, count) };
}

/**
 * Starts a server that is called over a plain socket, to compare two ways to an answer: through its route, and from
 * memory for a known URL. Dispose of it with `await using`.
 */
export async function startComparing(options: Parameters<typeof startApp>[0] = {}) {
  const log = captureLog();
  const app = await startApp({ ...options, logger: log.logger });
  const counting = countRouted();
  const { hostname, port, host } = new URL(app.baseUrl);

  /** Returns an answer byte for byte, without its time and ID. */
  async function request({ path, headers = {}, method = 'GET' }: Asking) {
    const socket = connect(Number(port), hostname);
    const lines = Object.entries({ Host: host, Connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const before = counting.routed();
    socket.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    socket.setEncoding('latin1');
    const answer = await text(socket);
    return {
      answer: answer.replace(/^(x-request-id|date): .*$/gim, '$1'),
      isRouted: counting.routed() > before,
    };
  }

  let addresses = 0;

  /** Returns a new URL with the same content. */
  function unknown(path: string): string {
    addresses += 1;
    return `${path}${path.includes('?') ? '&' : '?'}unheard=${addresses}`;
  }

  /** Returns a URL with the same content that the fast path knows. */
  async function known(path: string, headers?: Record<string, string>) {
    const address = unknown(path);
    for (let times = 0; times < 3; times++) await request({ path: address, headers });
    return address;
  }

  /** Sends both requests and expects that neither the answer nor the log differs. */
  async function expectSame(path: string, address: string, requesting: Omit<Asking, 'path'> = {}) {
    const [usual, usualLine] = [await request({ ...requesting, path: unknown(path) }), lastLine(log.text())];
    const [fast, fastLine] = [await request({ ...requesting, path: address }), lastLine(log.text())];
    expect(fast.answer).toBe(usual.answer);
    expect(fastLine).toEqual(usualLine);
    return { answer: fast.answer, ways: [usual.isRouted, fast.isRouted] };
  }

  return {
    app,
    ask: request,
    unknown,
    known,
    expectSame,
    async [Symbol.asyncDispose]() {
      counting[Symbol.dispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Expects three answers that use up a rate limit, and one that is refused. */
export function expectUsedUp(answers: readonly { answer: string }[]) {
  const seen = answers.map(({ answer }) => /^HTTP\/1.1 (\d+).*^x-ratelimit-remaining: (\d+)/ms.exec(answer));
  expect(seen.map((match) => match?.slice(1))).toEqual([
    ['200', '2'],
    ['200', '1'],
    ['200', '0'],
    ['429', '0'],
  ]);
}

/** Returns the last line of a log, without values that always differ. */
function lastLine(text: string) {
  const { time: _, request_id: __, ms: ___, ...line } = JSON.parse(text.trim().split('\n').at(-1) ?? '');
  return line;
}
