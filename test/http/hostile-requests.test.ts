import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { openRaw, type RawReply, sendRaw } from '../support/raw-http.ts';

// Malformed requests that no HTTP library sends. A request that can be parsed gets the error envelope, its id and the rate
// limit headers; other input gets the envelope and an id. None is logged as a server error or stores anything.

const { logger, failures } = keepFailures();
const plenty = { perMinute: 60_000_000, burst: 1_000_000 };
const app = await startApp({
  limits: { normal: plenty, moderate: plenty },
  logger,
});
afterAll(() => app[Symbol.asyncDispose]());

const key = await app.seed.key({ scopes: scopeNames });
const host = 'Host: localhost';
const auth = `Authorization: Bearer ${key}`;
const json = 'Content-Type: application/json';

const head = (...rows: string[]) => `${rows.join('\r\n')}\r\n\r\n`;
const get = (target: string, ...headers: string[]) => head(`GET ${target} HTTP/1.1`, host, auth, ...headers);
const post = (body: string | Buffer, ...headers: string[]) =>
  Buffer.concat([Buffer.from(postHead(Buffer.byteLength(body), ...headers)), Buffer.from(body)]);
const postHead = (length: number, ...headers: string[]) =>
  head(
    'POST /api/v1/posts HTTP/1.1',
    host,
    auth,
    `Content-Length: ${length}`,
    ...(headers.length ? headers : [json]),
  );
const chunked = (...chunks: string[]) =>
  head('POST /api/v1/posts HTTP/1.1', host, auth, json, 'Transfer-Encoding: chunked') + chunks.join('');

const invalid = (message?: string) => failure(400, 'invalid_request', message);
const notJson = invalid('invalid request body: not JSON in UTF-8');
const wrongType = invalid('invalid request body: send JSON with Content-Type: application/json');
const compressed = invalid('invalid request body: compression is not supported; send it uncompressed');
const noObject = invalid('invalid request body: expected a JSON object');
const undecodable = invalid('the path is not percent-encoded UTF-8');
const undecodableQuery = invalid('the query string is not percent-encoded UTF-8');
const noHost = invalid('missing or invalid Host header');
const unknown = failure(404, 'not_found');
const fields = (message: string) => failure(400, 'validation_failed', message);
const tooLarge = failure(413, 'payload_too_large', 'request body is larger than 2097152 bytes');
const noKey = failure(401, 'unauthorized', 'invalid API key');

const nested = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
const bytes = (text: string) => Buffer.from(text, 'latin1');

test.for<[what: string, request: string | Buffer, answer: unknown]>([
  ['incomplete JSON', post('{"title":'), notJson],
  ['JSON followed by more JSON', post('{"title":"a"} {}'), notJson],
  ['JSON nested 100,000 deep', post(`{"title":${nested('[', ']')}}`), fields('title: must be text')],
  ['JSON with 100,000 opening brackets', post('['.repeat(100_000)), notJson],
  ['an array', post('[]'), noObject],
  ['null', post('null'), noObject],
  ['no body', post(''), notJson],
  [
    'a field named __proto__',
    post('{"title":"a","__proto__":{"is_draft":true}}'),
    fields('__proto__: is not a known field'),
  ],
  [
    'a field named constructor',
    post('{"title":"a","constructor":{}}'),
    fields('constructor: is not a known field'),
  ],
  ['invalid UTF-8', post(bytes('{"title":"\xff\xfe"}')), notJson],
  ['another content type', post('{"title":"a"}', 'Content-Type: text/plain'), wrongType],
  ['a form', post('title=a', 'Content-Type: application/x-www-form-urlencoded'), wrongType],
  ['no content type', post('{"title":"a"}', 'Accept: */*'), wrongType],
  ['another charset', post('{"title":"a"}', 'Content-Type: application/json; charset=utf-16'), wrongType],
  ['a compressed body', post('{"title":"a"}', json, 'Content-Encoding: gzip'), compressed],
  [
    'a compressed transfer',
    `${head('POST /api/v1/posts HTTP/1.1', host, auth, json, 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
    compressed,
  ],
  [
    'two Content-Types',
    post('{"title":"a"}', json, 'Content-Type: text/plain'),
    invalid('content-type: the header must not be sent more than once'),
  ],
  [
    'two credentials',
    get('/api/v1/posts', 'Authorization: Bearer x'),
    invalid('authorization: the header must not be sent more than once'),
  ],
  [
    'two Hosts',
    get('/api/v1/posts', 'Host: other'),
    invalid('host: the header must not be sent more than once'),
  ],
  ['no Host', head('GET /api/v1/posts HTTP/1.1', auth), noHost],
  ['an empty Host', head('GET /api/v1/posts HTTP/1.1', auth, 'Host: '), noHost],
  ['a Host with a space', head('GET /api/v1/posts HTTP/1.1', auth, 'Host: a b'), noHost],
  ['a Host with an open bracket', head('GET /api/v1/posts HTTP/1.1', auth, 'Host: [::1'), noHost],
  [
    'a credential of 10,000 characters',
    head('GET /api/v1/posts HTTP/1.1', host, `Authorization: Bearer ${'a'.repeat(10_000)}`),
    noKey,
  ],
  ['a slug of 10,000 characters', get(`/api/v1/posts/${'a'.repeat(10_000)}`), unknown],
  ['a slug with NUL', get('/api/v1/posts/%00'), unknown],
  [
    'a repeated parameter',
    get('/api/v1/posts?limit=1&limit=2'),
    invalid('limit: must not be given more than once'),
  ],
  ['a repeated search', get('/api/v1/posts?q=a&q=b'), invalid('q: must not be given more than once')],
  ['a path with invalid percent-encoding', get('/api/v1/posts/%zz'), undecodable],
  ['an unknown path with invalid percent-encoding', get('/api/%'), undecodable],
  ['a path with invalid UTF-8', get('/api/v1/posts/%ED%A0%80'), undecodable],
  ['an absolute path with invalid percent-encoding', get('http://localhost/api/%zz'), undecodable],
  ['a query with invalid percent-encoding', get('/api/v1/posts?tag=%zz'), undecodableQuery],
  ['a query with invalid UTF-8', get('/api/v1/posts?tag=%ff'), undecodableQuery],
  ['a fragment', get('/api/v1/posts#%zz'), undecodableQuery],
  ['dots in the path', get('/api/../api/v1/posts'), unknown],
  [
    'an unknown path with a body that is not JSON',
    post('{').toString().replace('/posts', '/nothing'),
    unknown,
  ],
  ['an unknown method with a body that is not JSON', post('{').toString().replace('POST', 'PUT'), unknown],
  ['a method of WebDAV', get('/api/v1/posts').replace('GET', 'PROPFIND'), unknown],
  ['TRACE', get('/api/v1/posts').replace('GET', 'TRACE'), unknown],
  [
    'DELETE of an unknown record with a body that is not JSON',
    `${get('/api/v1/posts/nothing?a=1', json, 'Content-Length: 1').replace('GET', 'DELETE')}{`,
    unknown,
  ],
  ['10 MB with Content-Length', `${postHead(10_000_000)}${'a'.repeat(100_000)}`, tooLarge],
  ['10 MB, in chunks', chunked(`989680\r\n${'a'.repeat(10_000_000)}\r\n`), tooLarge],
])("%s is refused, with the request's id and limits", async ([, request, answer]) => {
  const [reply] = await sendRaw(app.baseUrl, request);
  expect(answerOf(reply)).toEqual(answer);
  expect(reply?.headers).toMatchObject({
    'x-request-id': expect.stringMatching(uuid),
    'x-ratelimit-limit': '1000000',
    'x-ratelimit-remaining': expect.any(String),
    'x-ratelimit-reset': expect.any(String),
    'access-control-allow-origin': '*',
  });
  expect(await nothingHappened()).toBe(true);
});

test.for<[what: string, request: string | Buffer, status: number]>([
  ['a header of 17,000 characters', get('/api/v1/posts', `X-Long: ${'a'.repeat(17_000)}`), 431],
  ['a path of 17,000 characters', get(`/api/v1/posts/${'a'.repeat(17_000)}`), 431],
  ['2,500 headers', get('/api/v1/posts', ...Array.from({ length: 2_500 }, () => 'X-A: 1')), 431],
  ['a made-up method', get('/api/v1/posts').replace('GET', 'FROBNICATE'), 400],
  ['a method in lower case', get('/api/v1/posts').replace('GET', 'get'), 400],
  ['CONNECT', head('CONNECT localhost:80 HTTP/1.1', host, auth), 400],
  ['a path without a slash', get('api/v1/posts'), 400],
  ['bytes beyond ASCII in the path', bytes(get('/api/v1/posts/\xe9')), 400],
  ['an unknown HTTP version', get('/api/v1/posts').replace('HTTP/1.1', 'HTTP/1.9'), 400],
  ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a TLS handshake', bytes('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'), 400],
  ['lines without a carriage return', get('/api/v1/posts').replaceAll('\r', ''), 400],
  ['a space before a colon', get('/api/v1/posts', 'X-A : 1'), 400],
  ['NUL in a header', get('/api/v1/posts', 'X-A: a\0b'), 400],
  ['two lengths', post('{"title":"a"}', json, 'Content-Length: 2'), 400],
  ['a negative length', postHead(-5), 400],
  ['a length and chunks', post('0\r\n\r\n', json, 'Transfer-Encoding: chunked'), 400],
  ['a chunk without a size', chunked('zz\r\n'), 400],
  ['a second chunk without a size', chunked('5\r\n{"tit\r\n', 'zz\r\n'), 400],
])('%s is refused as invalid HTTP, and the connection is closed', async ([, request, status]) => {
  using connection = await openRaw(app.baseUrl);
  connection.send(request);
  const replies = await connection.replies(2);
  const tooLong = 'invalid request: URL and headers are larger than 16 KiB';
  expect(replies.map(answerOf)).toEqual([{ ...invalid(status === 431 ? tooLong : undefined), status }]);
  expect(replies[0]?.headers).toMatchObject({
    'x-request-id': expect.stringMatching(uuid),
    connection: 'close',
  });
  expect(await nothingHappened()).toBe(true);
});

test.for<[what: string, request: string]>([
  ['HTTP/1.0', get('/api/v1/posts').replace('1.1', '1.0')],
  ['HTTP/1.0 without Host', head('GET /api/v1/posts HTTP/1.0', auth)],
  ['an absolute target', get('http://localhost/api/v1/posts')],
  ['a path with encoded letters', get('/%61pi/v1/%70osts')],
  ['a header of 10,000 characters', get('/api/v1/posts', `X-Long: ${'a'.repeat(10_000)}`)],
  ['an unknown expectation', get('/api/v1/posts', 'Expect: magic')],
  ['an upgrade', get('/api/v1/posts', 'Upgrade: websocket', 'Connection: Upgrade')],
  ['a repeated unknown parameter', get('/api/v1/posts?a=1&a=2')],
])('%s is answered like any request', async ([, request]) => {
  const [reply] = await sendRaw(app.baseUrl, request);
  expect(answerOf(reply)).toEqual({ status: 200, body: { data: [], total: 0, count: 0, per_page: 20 } });
  expect(reply?.headers).toHaveProperty('x-ratelimit-limit');
});

test('a body in small chunks is read', async () => {
  const characters = [...'{"title":"In chunks","visibility":"private"}'];
  const request = chunked(...characters.map((character) => `1\r\n${character}\r\n`), '0\r\n\r\n');
  const [reply] = await sendRaw(app.baseUrl, request);
  expect(reply?.status).toBe(201);
});

test('a client that disconnects while sending its body writes nothing and causes no server error', async () => {
  const { logger, failures } = keepFailures();
  await using alone = await startApp({ logger });
  const ownKey = await alone.seed.key();
  for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    using connection = await openRaw(alone.baseUrl);
    const headers = [host, json, framing, 'Expect: 100-continue', `Authorization: Bearer ${ownKey}`];
    connection.send(head('POST /api/v1/posts HTTP/1.1', ...headers));
    await connection.continued();
    connection.send('d\r\n{"title":"a"}\r\n');
    connection.socket.resetAndDestroy();
  }
  await eventually(async () => (await alone.connections()) === 0);
  expect(await alone.get('/api/v1/posts', { key: ownKey })).toMatchObject({
    status: 200,
    body: { total: 0 },
  });
  expect(failures).toEqual([]);
});

test('a client that closes its side while sending its body gets an error', async () => {
  using connection = await openRaw(app.baseUrl);
  connection.socket.end(`${postHead(100)}{"title":"a"`);
  const [reply] = await connection.replies(1);
  expect(answerOf(reply)).toEqual(invalid());
  expect(await nothingHappened()).toBe(true);
});

test('requests on one connection are answered in order, and invalid HTTP after them gets an error', async () => {
  const valid = get('/api/v1/posts');
  const replies = await sendRaw(app.baseUrl, `${valid}${valid}${get('/api/%zz')}${valid}NO HTTP\r\n\r\n`, 5);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 400, 200, 400]);
});

test('a request with an invalid body chunk is answered after the requests before it', async () => {
  const replies = await sendRaw(app.baseUrl, `${get('/api/v1/posts')}${chunked('zz\r\n')}`, 3);
  expect(replies.map(({ status }) => status)).toEqual([200, 400]);
});

test('after a refusal without reading the body, the connection can be used again', async () => {
  const refused = post('{"title":"a"}').toString().replace(key, 'svc_live_x');
  const replies = await sendRaw(app.baseUrl, refused + get('/api/v1/posts'), 2);
  expect(replies.map(({ status }) => status)).toEqual([401, 200]);
});

test.for<[what: string, target: string]>([
  ['a path', '/api/v1/posts'],
  ['a path with invalid percent-encoding', '/api/v1/posts/%zz'],
  ['an unknown path with invalid percent-encoding', '/api/%zz'],
  ['an unknown path', '/api/nothing'],
  ['a path with encoded letters', '/%61pi/v1/posts'],
  ['an unknown path with encoded letters', '/%61pi/nothing'],
  ['an absolute target', 'http://localhost/api/v1/posts'],
  ['a path with a fragment', '/api/v1/posts#a'],
])("%s counts in the limit of its client's address", async ([, target]) => {
  await using limited = await startApp({ limits: { normal: { perMinute: 1, burst: 2 } } });
  const request = head(`GET ${target} HTTP/1.1`, host);
  const replies = await sendRaw(limited.baseUrl, request.repeat(3), 3);
  expect(replies.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0']);
  expect(answerOf(replies[2])).toEqual(failure(429, 'rate_limited'));
  expect(replies[2]?.headers).toMatchObject({
    'retry-after': '60',
    'x-request-id': expect.stringMatching(uuid),
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('Retry-After'),
  });
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const answerOf = (reply: RawReply | undefined) => reply && { status: reply.status, body: reply.body };

/** True if no post was stored and no error was logged. */
async function nothingHappened(): Promise<boolean> {
  const { body } = await app.get('/api/v1/posts', { key });
  return (body as { total: number }).total === 0 && failures.length === 0;
}

/** Creates a logger that collects errors. */
function keepFailures() {
  const failures: string[] = [];
  return { failures, logger: pino({ level: 'error' }, { write: (line) => failures.push(line) }) };
}
