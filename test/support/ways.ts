import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { startApp } from './app.ts';
import { captureLog } from './log.ts';

/** A request as it is written: `method` is GET unless it says otherwise. */
interface Asking {
  path: string;
  headers?: Record<string, string> | undefined;
  method?: string;
}

/** How many requests of this process came to their routes. */
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
 * A server that is asked over a plain socket, to compare the two ways to an answer: by its route, and from memory for an
 * address that is known. Dispose of it with `await using`.
 */
export async function startComparing(options: Parameters<typeof startApp>[0] = {}) {
  const log = captureLog();
  const app = await startApp({ ...options, logger: log.logger });
  const counting = countRouted();
  const { hostname, port, host } = new URL(app.baseUrl);

  /** What is answered, byte for byte but for its moment and its id. */
  async function ask({ path, headers = {}, method = 'GET' }: Asking) {
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

  /** An address for the same that nobody asked for before. */
  function unknown(path: string): string {
    addresses += 1;
    return `${path}${path.includes('?') ? '&' : '?'}unheard=${addresses}`;
  }

  /** The address of the same that is known. */
  async function known(path: string, headers?: Record<string, string>) {
    const address = unknown(path);
    for (let times = 0; times < 3; times++) await ask({ path: address, headers });
    return address;
  }

  /** Asks for both, and expects that nobody can tell the difference: neither who asked nor who reads the log. */
  async function expectSame(path: string, address: string, asking: Omit<Asking, 'path'> = {}) {
    const [usual, usualLine] = [await ask({ ...asking, path: unknown(path) }), lastLine(log.text())];
    const [fast, fastLine] = [await ask({ ...asking, path: address }), lastLine(log.text())];
    expect(fast.answer).toBe(usual.answer);
    expect(fastLine).toEqual(usualLine);
    return { answer: fast.answer, ways: [usual.isRouted, fast.isRouted] };
  }

  return {
    app,
    ask,
    unknown,
    known,
    expectSame,
    async [Symbol.asyncDispose]() {
      counting[Symbol.dispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** Expects three answers that use a limit up, and one that is refused. */
export function expectUsedUp(answers: readonly { answer: string }[]) {
  const seen = answers.map(({ answer }) => /^HTTP\/1.1 (\d+).*^x-ratelimit-remaining: (\d+)/ms.exec(answer));
  expect(seen.map((match) => match?.slice(1))).toEqual([
    ['200', '2'],
    ['200', '1'],
    ['200', '0'],
    ['429', '0'],
  ]);
}

/** What a log said last of a request, but for what is its own. */
function lastLine(text: string) {
  const { time: _, request_id: __, ms: ___, ...line } = JSON.parse(text.trim().split('\n').at(-1) ?? '');
  return line;
}
