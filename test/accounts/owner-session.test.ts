import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';

const at = '/api/admin/session';
const refused = failure(401, 'unauthorized', 'wrong email address or password');
const noSession = failure(401, 'unauthorized', 'invalid or expired session token');

test('signing in returns 201 with a token, its expiry in seven days, and the owner', async () => {
  await using app = await startApp();
  const login = await app.seed.owner();
  expect(await app.post(at, { body: login })).toEqual({
    status: 201,
    body: {
      token: expect.stringMatching(/^svc_owner_[0-9A-Za-z]{43}$/),
      expires_at: '2026-02-07 09:05:00.123Z',
      owner: { id: anyId, email: login.email, name: 'Olive Owner' },
      role: 'owner',
    },
  });
});

test('the session returns its owner, site and expiry, and is unknown after DELETE', async () => {
  await using app = await startApp();
  const login = await app.seed.owner();
  const { token, owner } = (await app.post(at, { body: login })).body as { token: string; owner: object };
  expect(await app.get(at, { key: token })).toEqual({
    status: 200,
    body: {
      owner,
      role: 'owner',
      site: { id: await app.seed.ownSite(), name: 'A site' },
      expires_at: '2026-02-07 09:05:00.123Z',
    },
  });
  expect(await app.delete(at, { key: token })).toEqual({ status: 200, body: { status: 'deleted' } });
  expect(await app.get(at, { key: token })).toEqual(noSession);
  expect(await app.delete(at, { key: token })).toEqual(noSession);
});

test('signing out ends one session of an owner, not the others', async () => {
  await using app = await startApp();
  const login = await app.seed.owner();
  const [one, other] = [await app.post(at, { body: login }), await app.post(at, { body: login })].map(
    ({ body }) => (body as { token: string }).token,
  );
  await app.delete(at, { key: one ?? '' });
  expect((await app.get(at, { key: other ?? '' })).status).toBe(200);
});

test('a session lasts seven days and not a millisecond more', async () => {
  await using app = await startApp();
  const key = await app.seed.ownerToken();
  app.clock.advance({ days: 7, ms: -1 });
  expect((await app.get(at, { key })).status).toBe(200);
  app.clock.advance({ ms: 1 });
  expect(await app.get(at, { key })).toEqual(noSession);
  expect(await app.get('/api/admin/api-keys', { key })).toEqual(noSession);
});

test('a wrong password and an unknown email address get the same response', async () => {
  await using app = await startApp();
  const { email, password } = await app.seed.owner();
  const wrong = await app.post(at, { body: { email, password: 'incorrect horse' } });
  const unknown = await app.post(at, { body: { email: 'nobody@example.com', password } });
  expect([wrong, unknown]).toEqual([refused, refused]);
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
});

test('the email address is case-insensitive, the password is compared exactly', async () => {
  await using app = await startApp();
  const { email, password } = await app.seed.owner();
  expect((await app.post(at, { body: { email: email.toUpperCase(), password } })).status).toBe(201);
  for (const almost of [password.toUpperCase(), `${password} `, password.slice(0, -1)]) {
    expect(await app.post(at, { body: { email, password: almost } })).toEqual(refused);
  }
});

const badLogins: [what: string, body: unknown][] = [
  ['no password', { email: 'owner@example.com' }],
  ['no email address', { password: 'correct horse battery' }],
  ['an empty password', { email: 'owner@example.com', password: '' }],
  ['a password that is not a string', { email: 'owner@example.com', password: 12345678901 }],
  ['a NUL character', { email: 'owner\0@example.com', password: 'correct horse battery' }],
  ['a field that is not listed', { email: 'a@example.com', password: 'correct horse', remember: true }],
];

test('a sign-in with an invalid field is validation_failed', async () => {
  await using app = await startApp();
  for (const [what, body] of badLogins) {
    expect(await app.post(at, { body }), what).toEqual(failure(400, 'validation_failed', expect.any(String)));
  }
});

test('a sign-in whose body is not a JSON object is invalid_request', async () => {
  await using app = await startApp();
  for (const body of ['[]', '{', 'null', '"x"']) {
    expect(await app.post(at, { body })).toEqual(failure(400, 'invalid_request', expect.any(String)));
  }
});

test('a session of one site is unknown at the domain of another, and cannot be started there', async () => {
  await using app = await startApp();
  const own = await app.seed.site({ custom_domain: 'ada.example.com' });
  await app.seed.site({ subdomain: 'grace', custom_domain: 'grace.example.com' });
  const login = await app.seed.owner(own);
  const key = await app.seed.ownerToken(own);
  for (const host of ['grace.example.com', 'grace.localhost:3000', 'GRACE.example.com.']) {
    expect(await app.atHost(host, 'GET', at, { key })).toEqual(noSession);
    expect(await app.atHost(host, 'POST', at, { body: login })).toEqual(refused);
  }
  for (const host of ['ada.example.com', 'localhost', '192.0.2.7:8080']) {
    expect((await app.atHost(host, 'GET', at, { key })).status).toBe(200);
    expect((await app.atHost(host, 'POST', at, { body: login })).status).toBe(201);
  }
});

const id = 'mb3k9x2a7f0q1zd';
const adminEndpoints = [
  ['GET', '/api/admin/session'],
  ['DELETE', '/api/admin/session'],
  ['GET', '/api/admin/api-keys'],
  ['POST', '/api/admin/api-keys'],
  ['PATCH', `/api/admin/api-keys/${id}`],
  ['DELETE', `/api/admin/api-keys/${id}`],
  ['POST', `/api/admin/api-keys/${id}/rotate`],
  ['GET', '/api/admin/webhooks'],
  ['POST', '/api/admin/webhooks'],
  ['PATCH', `/api/admin/webhooks/${id}`],
  ['DELETE', `/api/admin/webhooks/${id}`],
  ['POST', `/api/admin/webhooks/${id}/test`],
  ['GET', `/api/admin/webhooks/${id}/deliveries`],
] as const;

test('every admin endpoint accepts owner sessions only', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'write', 'webhooks'] });
  const token = await app.seed.ownerToken();
  for (const [method, path] of adminEndpoints) {
    const basic = { headers: { authorization: `Basic ${token}` } };
    expect(await app.call(method, path)).toEqual(failure(401, 'unauthorized'));
    expect(await app.call(method, path, { key })).toEqual(
      failure(
        401,
        'unauthorized',
        "the Authorization header contains an API key; this path requires an owner's session token",
      ),
    );
    expect(await app.call(method, path, basic)).toEqual(failure(401, 'unauthorized'));
    expect(await app.call(method, path, { key: `${token}x` })).toEqual(noSession);
  }
});

test('the content surface accepts no owner session', async () => {
  await using app = await startApp();
  const key = await app.seed.ownerToken();
  const refusal = failure(
    401,
    'unauthorized',
    "the Authorization header contains an owner's session token; this path requires an API key",
  );
  expect(await app.get('/api/v1/posts', { key })).toEqual(refusal);
  expect(await app.post('/api/v2/webhooks', { key, body: {} })).toEqual(refusal);
});

test('signing in counts in tier Strict, the rest of the admin surface in Moderate', async () => {
  await using app = await startApp({ limits: {} });
  const key = await app.seed.ownerToken();
  const body = { email: 'nobody@example.com', password: 'correct horse battery' };
  const tries = [];
  for (let n = 0; n < 4; n++) tries.push(await app.post(at, { body }));
  expect(tries.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])).toEqual([
    [401, '3'],
    [401, '3'],
    [401, '3'],
    [429, '3'],
  ]);
  expect(tries[3]).toEqual(failure(429, 'rate_limited'));
  expect(tries[3]?.headers.get('retry-after')).toBe('12');
  const calls = [];
  for (const path of [at, '/api/admin/webhooks', at, '/api/admin/nothing', '/api/admin/api-keys', at]) {
    calls.push(await app.get(path, { key }));
  }
  expect(calls.map(({ status, headers }) => [status, headers.get('x-ratelimit-limit')])).toEqual([
    [200, '5'],
    [200, '5'],
    [200, '5'],
    [404, '5'],
    [200, '5'],
    [429, '5'],
  ]);
});
