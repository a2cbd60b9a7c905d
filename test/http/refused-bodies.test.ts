import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { parseReplies } from '../support/raw-http.ts';

// A client that sends its whole body before it reads must still receive the refusal. If the server closes a connection with
// unread data, the client loses the response.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: scopeNames });

const megabyte = 1024 * 1024;
const tooLarge = failure(413, 'payload_too_large', 'request body is larger than 2097152 bytes').body;
const paths = ['/api/v1/posts', '/trpc/v1.posts.create', '/mcp'];

test.for(paths)('a body of 10 MB to %s gets 413 every time', async (path) => {
  const answers = [];
  for (let round = 0; round < 10; round++) {
    answers.push(
      await sendThenRead(path, { bytes: 10 * megabyte, headers: [`Authorization: Bearer ${key}`] }),
    );
  }
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(413));
  expect(answers[0]?.headers.connection).toBe('close');
  if (path !== '/trpc/v1.posts.create') expect(answers[0]?.body).toEqual(tooLarge);
});

test.for(paths)('a body of 10 MB in chunks to %s gets 413', async (path) => {
  const headers = [`Authorization: Bearer ${key}`];
  const { status } = await sendThenRead(path, { bytes: 10 * megabyte, headers, chunked: true });
  expect(status).toBe(413);
});

test.for([
  ['/api/v1/posts', 401],
  ['/trpc/v1.posts.create', 401],
  ['/mcp', 401],
  ['/api/v1/nothing', 404],
  ['/nothing', 404],
] as const)('a refusal of %s reaches a client that sent Connection: close', async ([path, status]) => {
  const answers = [];
  for (let round = 0; round < 5; round++) {
    const answer = await sendThenRead(path, { bytes: megabyte, headers: ['Connection: close'] });
    answers.push(answer.status);
  }
  expect(answers).toEqual(Array(5).fill(status));
});

test('a client that never ends its body gets its response and is disconnected soon', async () => {
  const { socket, answer, sent } = open('/api/v1/posts', 1024 * megabyte);
  const chunk = Buffer.alloc(megabyte, 'a');
  let written = 0;
  while (!socket.destroyed && written < 1024) {
    written += 1;
    const drained = new Promise((resolve) => socket.once('drain', resolve));
    if (!socket.write(chunk)) await Promise.race([drained, sent.closed]);
  }
  await sent.closed;
  expect(written).toBeLessThan(64);
  expect(answer()?.status).toBe(413);
});

test('a client that announces a body and sends none gets its response and is disconnected', async () => {
  const { answer, sent } = open('/api/v1/posts', 10 * megabyte);
  await sent.closed;
  expect(answer()).toMatchObject({ status: 413, body: tooLarge });
});

interface Sent {
  bytes: number;
  headers: string[];
  chunked?: boolean;
}

/** Writes a whole request before it reads the first byte of the response, as simple clients do. */
async function sendThenRead(path: string, { bytes, headers, chunked = false }: Sent) {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  const size = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    size,
    ...headers,
  ];
  const body = Buffer.alloc(bytes, 'a');
  const parts = chunked ? [`${bytes.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [body];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  for (const part of parts) await new Promise((written) => socket.write(part, written));
  const received = collect(socket);
  const closed = once(socket, 'close');
  socket.resume();
  while (parseReplies(received()).length === 0 && !socket.closed)
    await Promise.race([once(socket, 'data'), closed]);
  socket.destroy();
  const [reply] = parseReplies(received());
  return (
    reply ?? {
      status: 0,
      headers: {} as Record<string, string>,
      body: 'the connection was closed without an answer',
    }
  );
}

/** Sends the headers of a request; the test sends its body. */
function open(path: string, bytes: number) {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const received = collect(socket);
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json'];
  socket.write([...head, `Content-Length: ${bytes}`, `Authorization: Bearer ${key}`].join('\r\n'));
  socket.write('\r\n\r\n');
  return { socket, answer: () => parseReplies(received())[0], sent: { closed } };
}

function collect(socket: ReturnType<typeof connect>) {
  const parts: Buffer[] = [];
  socket.on('data', (part) => void parts.push(part));
  return () => Buffer.concat(parts);
}
