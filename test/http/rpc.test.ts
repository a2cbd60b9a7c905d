import fc from 'fast-check';
import { expect, test } from 'vitest';
import { proceduresOf } from '../../server/api/procedures.ts';
import { appRouter } from '../../server/api/router/app-router.ts';
import { type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { bodyLimitBytes, maxBatchCalls, tiers } from '../../shared/contract/limits.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import type { Answer, CallOptions } from '../support/http.ts';

interface ErrorDetails {
  message?: unknown;
  path?: string;
  retryAfter?: number;
}

/** The error envelope that tRPC clients parse, with the default message of its code unless another is given. */
const rpcError = (code: ErrorCode, { message = errors[code].message, ...data }: ErrorDetails = {}) => {
  const fields = code === 'validation_failed' ? { fields: expect.any(Array) } : {};
  const told = { code, httpStatus: errors[code].status, ...fields, ...data };
  return { error: { json: { code: expect.any(Number), message, data: told } } };
};

const rpcFailure = (code: ErrorCode, data: ErrorDetails = {}) => ({
  status: errors[code].status,
  body: rpcError(code, data),
});

const list = 'v1.posts.list';
const create = 'v1.posts.create';
const notFound = (path?: string) => rpcFailure('not_found', path === undefined ? {} : { path });
const invalid = (path?: string) => rpcFailure('invalid_request', path === undefined ? {} : { path });
const malformed = rpcFailure('invalid_request', {
  path: create,
  message: 'invalid input: malformed value or type annotation',
});

const json = (body: string): CallOptions => ({ body, headers: { 'content-type': 'application/json' } });
const typed = (type: string): CallOptions => ({ body: '{}', headers: { 'content-type': type } });
const annotated = (values: unknown): CallOptions => ({
  body: { json: { title: 'A', published_at: 'soon' }, meta: { values, v: 1 } },
});
const jsonl: CallOptions = { headers: { 'trpc-accept': 'application/jsonl' } };

test('every invalid request gets an RPC error with a code of the API', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const wrong: [what: string, request: string, expected: Answer, options?: CallOptions][] = [
    ['unknown procedure', 'GET /trpc/v1.nothing.list', notFound('v1.nothing.list')],
    ['no procedure', 'GET /trpc', notFound('')],
    ['path below a procedure', `GET /trpc/${list}/x`, notFound(`${list}/x`)],
    ['name from the prototype', 'GET /trpc/constructor', notFound('constructor')],
    ['mutation by GET', `GET /trpc/${create}`, notFound(create)],
    ['query by POST', `POST /trpc/${list}`, notFound(list), json('{}')],
    ['other methods', `PUT /trpc/${list}`, notFound()],
    ['other methods', `DELETE /trpc/${list}`, notFound()],
    [
      'path with invalid UTF-8',
      'GET /trpc/%ff',
      rpcFailure('invalid_request', { message: 'the path is not percent-encoded UTF-8' }),
    ],
    ['body that is not JSON', `POST /trpc/${create}`, invalid(create), json('{')],
    ['body that is null', `POST /trpc/${create}`, malformed, json('null')],
    ['body that is a number', `POST /trpc/${create}`, malformed, json('5')],
    ['no body', `POST /trpc/${create}`, invalid()],
    ['no content type', `POST /trpc/${create}`, invalid(), typed('')],
    ['text', `POST /trpc/${create}`, invalid(), typed('text/plain')],
    ['form', `POST /trpc/${create}`, invalid(), typed('multipart/form-data; boundary=x')],
    ['bytes', `POST /trpc/${create}`, invalid(), typed('application/octet-stream')],
    ['input that is not JSON', `GET /trpc/${list}?input=%7B`, invalid(list)],
    ['connection parameters', `GET /trpc/${list}?connectionParams=5`, invalid()],
    ['stream of one call', `GET /trpc/${list}`, invalid(), jsonl],
    ['query and mutation in one batch', `GET /trpc/${list},${create}?batch=1`, invalid()],
    ['annotation of nothing', `POST /trpc/${create}`, malformed, annotated({ slug: ['Date'] })],
    ['through the prototype', `POST /trpc/${create}`, malformed, annotated({ 'constructor.name': ['Date'] })],
    ['type of its own', `POST /trpc/${create}`, malformed, annotated({ title: [['custom', 'x']] })],
    ['annotation that is not a tree', `POST /trpc/${create}`, malformed, annotated(5)],
  ];
  for (const [what, request, expected, options] of wrong) {
    const [method = '', path = ''] = request.split(' ');
    expect(await app.call(method, path, { key, ...options }), what).toEqual(expected);
  }
});

test('an invalid Date is an error of its field', async () => {
  await using app = await startApp();
  const answer = await app.post(`/trpc/${create}`, {
    key: await app.seed.key(),
    ...annotated({ published_at: ['Date'] }),
  });
  const message = expect.stringMatching(/^published_at: /);
  expect(answer).toEqual(rpcFailure('validation_failed', { path: create, message }));
});

test('batch inputs that are not an object are refused for every call', async () => {
  await using app = await startApp();
  const answer = await app.get(`/trpc/${list},${list}?batch=1&input=5`, { key: await app.seed.key() });
  const refused = rpcError('invalid_request', { path: list });
  expect(answer).toEqual({ status: 400, body: [refused, refused] });
});

test('a body over the limit is payload_too_large and closes the connection', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const answer = await app.post(`/trpc/${create}`, { key, ...json(' '.repeat(bodyLimitBytes + 1)) });
  expect(answer).toEqual(rpcFailure('payload_too_large'));
  expect(answer.headers.get('connection')).toBe('close');
});

test('a body that is not UTF-8 is refused', async () => {
  await using app = await startApp();
  const response = await fetch(`${app.baseUrl}/trpc/${create}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await app.seed.key()}` },
    body: new Uint8Array([0x22, 0xff, 0x22]),
  });
  expect({ status: response.status, body: await response.json() }).toEqual(
    rpcFailure('invalid_request', { message: 'invalid request body: not JSON in UTF-8' }),
  );
});

test('shared references are not resolved, so a long list of them is cheap to refuse', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const tags = Array.from({ length: 4_900 }, (_, index) => index);
  const paths = tags.map(() => `tags.${tags.length - 1}`);
  const meta = { values: { tags: ['set'] }, referentialEqualities: { title: paths }, v: 1 };
  const body = { json: { title: 'A', tags }, meta };
  expect(await app.post(`/trpc/${create}`, { key, body })).toEqual(malformed);
});

test('every RPC response has the rate limit headers and a request id', async () => {
  await using app = await startApp({ limits: {} });
  const key = await app.seed.key();
  for (const path of [list, 'nothing', `${list},${list}?batch=1`]) {
    const { headers } = await app.get(`/trpc/${path}`, { key });
    expect(headers.get('x-ratelimit-limit')).toBe(String(tiers.normal.burst));
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('each call of a batch counts separately, and only those over the limit are refused', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 3 } } });
  const key = await app.seed.key();
  const page = { result: { data: { json: { data: [], total: 0, count: 0, per_page: 20 } } } };
  const refused = rpcError('rate_limited', { path: list, retryAfter: 1 });
  const answer = await app.get(`/trpc/${Array(4).fill(list).join(',')}?batch=1`, { key });
  expect(answer).toEqual({ status: 207, body: [page, page, page, refused] });
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
});

test('a request whose calls are all over the limit is rate_limited as a whole', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 1 } } });
  const key = await app.seed.key();
  expect((await app.get(`/trpc/${list}`, { key })).status).toBe(200);
  const answer = await app.get(`/trpc/${list},nothing?batch=1`, { key });
  expect(answer).toEqual(rpcFailure('rate_limited', { retryAfter: 1 }));
  expect(answer.headers.get('retry-after')).toBe('1');
});

test.for([
  ['an unknown procedure', `/trpc/nothing`],
  ['a path that is not a procedure', `/trpc/a/b`],
  ['a mutation by GET', `/trpc/${create}`],
  ['a batch that is too long', `/trpc/${Array(maxBatchCalls + 1).fill(list)}?batch=1`],
])('%s counts in Normal', async ([, path = '']) => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 1 } } });
  await app.get(path);
  expect(await app.get(path)).toEqual(rpcFailure('rate_limited', { retryAfter: 1 }));
});

test('a call counts in the tier of its procedure: signing in in Strict, a call of an owner in Studio', async () => {
  await using app = await startApp({ limits: {} });
  const token = await app.seed.ownerToken();
  const session = await app.get('/trpc/admin.session.get', { key: token });
  expect(session.headers.get('x-ratelimit-limit')).toBe(String(tiers.studio.burst));
  const login = await app.post('/trpc/admin.session.create', { body: { json: {} } });
  expect(login.headers.get('x-ratelimit-limit')).toBe(String(tiers.strict.burst));
});

test('a batch may have at most as many calls as the client package sends', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const batch = (calls: number) =>
    app.get(`/trpc/${Array(calls).fill('v1.certifications.list')}?batch=1`, { key });
  expect((await batch(maxBatchCalls)).body).toEqual(
    Array(maxBatchCalls).fill({ result: { data: { json: { data: [] } } } }),
  );
  expect(await batch(maxBatchCalls + 1)).toEqual(
    rpcFailure('invalid_request', { message: `a batch has at most ${maxBatchCalls} calls` }),
  );
});

test('a failing database is internal_error, without the cause', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.deps.database.em.execute('drop table posts cascade');
  expect(await app.get(`/trpc/${list}`, { key })).toEqual(rpcFailure('internal_error', { path: list }));
});

test('a 401 has WWW-Authenticate', async () => {
  await using app = await startApp();
  const answer = await app.get(`/trpc/${list}`);
  expect(answer).toEqual(rpcFailure('unauthorized', { path: list }));
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

test('generated input to every procedure gets a result or an error with a known code, and never a 5xx', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: scopeNames });
  const token = await app.seed.ownerToken();
  // Signing out would leave the following calls without a session.
  const procedures = [...proceduresOf(appRouter).values()].filter(
    ({ name }) => name !== 'admin.session.delete',
  );
  const annotation = fc.letrec((tie) => ({
    tree: fc.oneof(
      fc.constantFrom(['Date'], ['undefined'], ['set'], ['map'], [['custom', 'x']], ['Date', {}]),
      fc.dictionary(fc.constantFrom('title', 'id', '0', 'a.b', '__proto__', ''), tie('tree'), { maxKeys: 3 }),
      fc.jsonValue({ maxDepth: 2 }),
    ),
  })).tree;
  const input = fc.record(
    {
      json: fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.dictionary(
          fc.constantFrom('id', 'title', 'name', 'slug', 'cursor', 'limit', 'tags'),
          fc.jsonValue({ maxDepth: 1 }),
        ),
      ),
      meta: fc.record({ values: annotation, v: fc.constantFrom(0, 1) }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const called = fc.tuple(fc.constantFrom(...procedures), fc.constantFrom(key, token), input);
  await fc.assert(
    fc.asyncProperty(called, async ([{ name, type }, credential, value]) => {
      const query = encodeURIComponent(JSON.stringify(value));
      const answer =
        type === 'query'
          ? await app.get(`/trpc/${name}?input=${query}`, { key: credential })
          : await app.post(`/trpc/${name}`, { key: credential, body: value });
      expect(answer.status).toBeLessThan(500);
      if (answer.status !== 200) expect(Object.keys(errors)).toContain(codeOf(answer.body));
    }),
    { numRuns: 400, seed: 20_260_131 },
  );
});

const codeOf = (body: unknown) =>
  (body as { error: { json: { data: { code: string } } } }).error.json.data.code;

test.for<[what: string, method: string, path: string, options?: CallOptions]>([
  ['an input that is not JSON', 'GET', `/trpc/${list}?input={`],
  ['a body that is not JSON', 'POST', `/trpc/${create}`, json('{')],
  ['a body of another type', 'POST', `/trpc/${create}`, typed('text/plain')],
  [
    'a batch that is too long',
    'GET',
    `/trpc/${Array(maxBatchCalls + 1)
      .fill(list)
      .join(',')}?batch=1`,
  ],
  ['an unknown procedure', 'GET', '/trpc/v1.none'],
  ['another method', 'PUT', `/trpc/${list}`],
  ['a query sent by POST', 'POST', `/trpc/${list}`, json('{}')],
])('%s gets an error as JSON', async ([, method, path, options]) => {
  await using app = await startApp();
  const answer = await app.call(method, path, options);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
});
