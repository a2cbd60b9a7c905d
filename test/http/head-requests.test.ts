import { once } from 'node:events';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { answerBrokenRequests, trackLatestAnswers } from '../../server/http/malformed-requests.ts';
import { startApp } from '../support/app.ts';

// A response to HEAD ends with its headers: a client would read a body as the next response.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const host = 'Host: localhost';
const end = 'Connection: close';
const head = (target: string, ...headers: string[]) =>
  `${[`HEAD ${target} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;
const long = 'a'.repeat(17_000);
const chunked = 'Transfer-Encoding: chunked';

const shutsOut = {
  limits: { site: { perMinute: 1, burst: 1 } },
  config: { publicUrl: new URL('https://a.example') },
};

test.for<[what: string, status: number, ...pieces: string[]]>([
  ['a header that is too long', 431, head('/', host, `X-Long: ${long}`)],
  ['a path that is too long', 431, head(`/${long}`, host)],
  [
    'a header that is too long, in pieces',
    431,
    `HEAD / HTTP/1.1\r\n${host}\r\nX-Long: ${long.slice(0, 9_000)}`,
    `${long}\r\n\r\n`,
  ],
  ['an invalid header', 400, head('/', host, 'X A: b')],
  ['an invalid header, in pieces', 400, `HEAD / HTTP/1.1\r\n${host}\r\n`, 'X A: b\r\n\r\n'],
  ['a method in two pieces', 400, 'HE', `${head('/', host, 'X A: b').slice(2)}`],
  ['an unknown HTTP version', 400, head('/', host).replace('HTTP/1.1', 'HTTP/1.9')],
  ['a path without a slash', 400, head('healthz', host)],
  ['two lengths', 400, head('/', host, 'Content-Length: 1', 'Content-Length: 2')],
  ['lines without a carriage return', 400, head('/', host).replaceAll('\r', '')],
  ['a chunk without a size', 400, `${head('/api/v1/posts', host, chunked)}zz\r\n`],
  ['a chunk without a size, later', 401, head('/api/v1/posts', host, chunked), 'zz\r\n'],
  ['no Host', 400, head('/', end)],
  ['two Hosts', 400, head('/', host, 'Host: b', end)],
  ['a path with invalid percent-encoding', 400, head('/%zz', host, end)],
  ['an unknown path', 404, head('/api/nothing', host, end)],
  ['an unknown page', 404, head('/nothing', host, 'Accept: text/html', end)],
  ['no session', 401, head('/api/admin/session', host, end)],
  ['no key', 401, head('/api/v1/posts', host, end)],
  ['a procedure over RPC', 404, head('/trpc/v1.posts.list', host, end)],
  ['the path of MCP', 405, head('/mcp', host, end)],
  ['a body that is announced', 401, `${head('/api/v1/posts', host, 'Content-Length: 9', end)}`, '123456789'],
  ['another expectation', 401, head('/api/v1/posts', host, 'Expect: magic', end)],
  ['an upgrade', 401, head('/api/v1/posts', host, 'Upgrade: websocket', 'Connection: Upgrade, close')],
])('HEAD with %s has no body', async ([, status, ...pieces]) => {
  expect(await received(app.baseUrl, pieces)).toEqual(bodiless(status));
});

test('HEAD that is answered before its body arrives gets no second response when the body times out', async () => {
  await using impatient = await startApp({ timeouts: { requestMs: 2_000 } });
  for (const [status, path] of [
    [401, '/api/v1/posts'],
    [200, '/healthz'],
  ] as const)
    expect(await received(impatient.baseUrl, [head(path, host, 'Content-Length: 9')])).toEqual(
      bodiless(status),
    );
});

test('HEAD that exceeds the rate limit or requires HTTPS has no body', async () => {
  await using closed = await startApp(shutsOut);
  const requested = head('/', host, end);
  expect(await received(closed.baseUrl, [requested])).toEqual(bodiless(400));
  expect(await received(closed.baseUrl, [requested])).toEqual(bodiless(429));
});

test('headers that do not arrive in time get 408, for HEAD without a body', async () => {
  const impatient = Fastify({
    http: { headersTimeout: 50, connectionsCheckingInterval: 20 },
    clientErrorHandler: (error, socket) => answer(error, socket),
  });
  const answer = answerBrokenRequests(impatient, trackLatestAnswers(impatient), () => 'id');
  const url = await impatient.listen({ host: '127.0.0.1', port: 0 });
  expect(await received(url, ['HEAD / HTTP/1.1\r\n'])).toEqual(bodiless(408));
  await impatient.close();
});

test('requests that follow HEAD on a connection get their own responses', async () => {
  const answers = await received(app.baseUrl, [
    head('/healthz', host) + head('/nothing', host) + head('/healthz', host) + head('/', host, 'X A: b'),
  ]);
  expect(answers.match(/^HTTP\/1\.1 \d+|\{/gm)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 404',
    'HTTP/1.1 200',
    'HTTP/1.1 400',
  ]);
});

test('other methods get the error as a body', async () => {
  const broken = `GET / HTTP/1.1\r\n${host}\r\nX A: b\r\n\r\n`;
  expect(await received(app.baseUrl, [broken])).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\n\r\n\{"error":.*\}$/);
});

const bodiless = (status: number) =>
  expect.stringMatching(new RegExp(`^HTTP/1\\.1 ${status} [^\\r]+\\r\\n([^\\r]+\\r\\n)*\\r\\n$`));

/**
 * Everything that the server sends until it closes the connection. Each piece is sent after the previous one was received.
 */
async function received(baseUrl: string, pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  socket.on('error', () => {});
  const parts: Buffer[] = [];
  socket.on('data', (part) => void parts.push(part));
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const piece of pieces) {
    socket.write(piece);
    await app.get('/healthz');
  }
  await closed;
  return Buffer.concat(parts).toString('latin1');
}
