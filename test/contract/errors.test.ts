import { afterAll, expect, test } from 'vitest';
import { errors } from '../../shared/contract/errors.ts';
import { startApp } from '../support/app.ts';
import { endpoints } from '../support/endpoints.ts';
import { failure } from '../support/http.ts';

// docs/reference/requests.md#errors. Unknown fields, paths, credentials, limits and outages are tested in other files.

const app = await startApp({ config: { bodyLimitBytes: 1_000 } });
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const title = { title: 'A title' };
const { id } = (await app.post('/api/v1/posts', { key, body: title })).body as { id: string };

/** One endpoint that creates and one that updates. */
const writes = [
  ['POST', '/api/v1/posts'],
  ['PATCH', `/api/v1/posts/${id}`],
] as const;

test('no error code is removed or changes its status', () => {
  const statuses = Object.entries(errors).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(statuses)).toMatchObject({
    invalid_request: 400,
    validation_failed: 400,
    unauthorized: 401,
    key_disabled: 403,
    key_expired: 403,
    insufficient_scope: 403,
    origin_not_allowed: 403,
    not_found: 404,
    payload_too_large: 413,
    idempotency_key_reused: 422,
    rate_limited: 429,
    internal_error: 500,
    webhooks_not_provisioned: 503,
  });
});

test.for([
  '',
  ' ',
  'title',
  '{',
  '{"title":',
  "{'title':'x'}",
  '{"title":"x"} {}',
  '{"title":"x",}',
  'undefined',
  'NaN',
  '{"title":"\n"}',
  '['.repeat(900),
])('a body that is not JSON, %j, is invalid_request', async (body) => {
  for (const [method, path] of writes) {
    const answer = await app.call(method, path, { key, body });
    expect(answer).toEqual(failure(400, 'invalid_request', 'invalid request body: not JSON in UTF-8'));
  }
});

test.for(['null', 'true', '1', '"text"', '[]', '[{"title":"x"}]'])(
  'a body that is JSON but not an object, %s, is invalid_request',
  async (body) => {
    for (const [method, path] of writes) {
      const answer = await app.call(method, path, { key, body });
      expect(answer).toEqual(failure(400, 'invalid_request', 'invalid request body: expected a JSON object'));
    }
  },
);

test.for([
  '',
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/merge-patch+json',
  'application/json5',
  'application/jsonx',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
])('a body of type "%s" is invalid_request', async (type) => {
  for (const [method, path] of writes) {
    const answer = await app.call(method, path, { key, body: title, headers: { 'content-type': type } });
    const message = 'invalid request body: send JSON with Content-Type: application/json';
    expect(answer).toEqual(failure(400, 'invalid_request', message));
  }
});

test.for([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/json ; profile="x"',
])('a body of type "%s" is accepted', async (type) => {
  const answer = await app.post('/api/v1/posts', { key, body: title, headers: { 'content-type': type } });
  expect(answer.status).toBe(201);
});

test.for(['application/json', 'text/plain', 'nonsense', 'a/b/c', 'application/json; charset='])(
  'without a key, a body of type "%s" gets the same 401',
  async (type) => {
    for (const [method, path] of writes) {
      const plain = await app.call(method, path, { body: title });
      const answer = await app.call(method, path, { body: title, headers: { 'content-type': type } });
      expect(answer).toEqual(plain);
      expect(answer.status).toBe(401);
    }
  },
);

test('DELETE takes no body, and ignores one and its type', async () => {
  for (const type of ['application/json', 'text/plain', 'nonsense']) {
    const made = await app.post('/api/v1/posts', { key, body: title });
    const path = `/api/v1/posts/${(made.body as { id: string }).id}`;
    const answer = await app.delete(path, { key, body: '{"no json', headers: { 'content-type': type } });
    expect(answer).toEqual({ status: 200, body: { status: 'deleted' } });
  }
});

test('a body of exactly the limit is accepted, and one more byte is payload_too_large', async () => {
  const body = (bytes: number) => {
    const start = '{"title":"';
    return `${start}é${'a'.repeat(490)}","content":"`.padEnd(bytes - 3, 'b').concat('"}');
  };
  expect(Buffer.byteLength(body(1_000))).toBe(1_000);
  expect((await app.post('/api/v1/posts', { key, body: body(1_000) })).status).toBe(201);
  const tooLarge = failure(413, 'payload_too_large', 'request body is larger than 1000 bytes');
  for (const [method, path] of writes) {
    expect(await app.call(method, path, { key, body: body(1_001) })).toEqual(tooLarge);
  }
});

test('a body is not read without a key', async () => {
  for (const [method, path] of writes) {
    const answer = await app.call(method, path, { body: 'x'.repeat(100_000) });
    expect(answer).toEqual(failure(401, 'unauthorized'));
  }
});

test.for([
  'nothing',
  'content',
  'content.*',
  '*',
  'Content.Created',
  'content.created%20',
  'test',
  'constructor',
  '%00',
])('polling "%s", which is not an event, is invalid_request', async (event) => {
  const answer = await app.get(`/api/v1/webhooks/poll/${event}`, { key });
  expect(answer).toEqual(failure(400, 'invalid_request', expect.stringMatching(/^event: /)));
});

test('every error is the same JSON envelope of code and message', async () => {
  const weak = await app.seed.key({ scopes: ['webhooks'] });
  const requested = endpoints.flatMap(({ method, path }) =>
    [{}, { key: weak }, { key, body: '{' }, { key }].map((options) => app.call(method, path, options)),
  );
  const failed = (await Promise.all(requested)).filter(({ status }) => status >= 400);
  expect(failed.length).toBeGreaterThan(endpoints.length);
  for (const { status, body, headers } of failed) {
    const { error } = body as { error: { code: keyof typeof errors; message: string } };
    expect(body).toEqual({ error: { code: expect.any(String), message: expect.stringMatching(/./) } });
    expect(errors[error.code].status).toBe(status);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
});
