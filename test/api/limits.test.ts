import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { endpoints } from '../support/endpoints.ts';
import { from, limitOf, refused, resetAfter, startLimited } from '../support/limited-app.ts';

test('the Normal tier allows ten requests immediately, then returns 429 until a second has passed', async () => {
  await using app = await startLimited();
  const key = await app.seed.key();
  for (let left = 9; left >= 0; left -= 1) {
    const answer = await app.get('/api/v1/skills', { key });
    expect(answer.status).toBe(200);
    expect(limitOf(answer)).toEqual({
      limit: '10',
      remaining: String(left),
      reset: resetAfter(app, 10 - left),
    });
    expect(answer.headers.get('retry-after')).toBeNull();
  }
  const over = await app.get('/api/v1/skills', { key });
  expect(over).toEqual(refused);
  expect(limitOf(over)).toEqual({ limit: '10', remaining: '0', reset: resetAfter(app, 10) });
  expect(over.headers.get('retry-after')).toBe('1');
  app.clock.advance({ seconds: 1 });
  expect((await app.get('/api/v1/skills', { key })).status).toBe(200);
  expect(await app.get('/api/v1/skills', { key })).toEqual(refused);
});

test('every endpoint counts in its tier, with and without a credential', async () => {
  await using app = await startLimited();
  const key = await app.seed.key();
  for (const [index, { title, method, path, access, takesFile }] of endpoints.entries()) {
    // An owner's images are uploaded many at a time, so they count in the studio's tier.
    const isUpload = takesFile && access === 'owner';
    // A request for a passkey challenge contains no credential that could be guessed.
    const asks = path.endsWith('/session/passkey') && '5';
    const burst = asks || (isUpload ? '100' : { key: '10', owner: '5', public: '3' }[access]);
    const answer = await app.call(method, path, { headers: from(`10.0.0.${index}`) });
    const again = await app.call(method, path, { key, headers: from(`10.0.1.${index}`) });
    const expected = {
      limit: burst,
      remaining: String(Number(burst) - 1),
      reset: expect.stringMatching(/^\d{10}$/),
    };
    expect([title, limitOf(answer), limitOf(again)]).toEqual([title, expected, expected]);
  }
});

test('the rate limit is checked before everything else, including the path and the key', async () => {
  await using app = await startLimited();
  await exhaust(app, '10.1.1.1');
  const paths = ['/api/v1/posts', '/api/v1/nothing', '/api/v1/posts/', '/api', '/api/v1/posts/%zz'];
  for (const path of paths) {
    expect([path, await app.get(path, { headers: from('10.1.1.1') })]).toEqual([path, refused]);
  }
  expect(await app.post('/api/v1/posts', { body: 'no JSON', headers: from('10.1.1.1') })).toEqual(refused);
});

test.for([
  ['an unknown path', 'GET', '/api/v1/nothing', 404],
  ['an unknown method', 'PUT', '/api/v1/posts', 404],
  ['no key', 'GET', '/api/v1/posts', 401],
  ['HEAD', 'HEAD', '/api/v1/posts', 401],
  ['the bare root', 'GET', '/api', 404],
  ['a path that cannot be decoded', 'GET', '/api/v1/posts/%zz', 400],
  ['a long path', 'GET', `/api/v1/posts/${'a'.repeat(700)}`, 401],
  ['a path written percent-encoded', 'GET', '/%61pi/v1/posts', 401],
] as const)(
  'a response to %s has the rate limit headers and is counted',
  async ([, method, path, status]) => {
    await using app = await startLimited();
    const headers = { origin: 'https://ada.example.com', 'access-control-request-method': 'GET' };
    const answer = await app.call(method, path, { headers });
    expect({ status: answer.status, ...limitOf(answer) }).toEqual({
      status,
      limit: '10',
      remaining: '9',
      reset: resetAfter(app, 1),
    });
    expect(limitOf(await app.call(method, path, { headers }))).toMatchObject({ remaining: '8' });
  },
);

test('preflights are not counted, and have the headers of the current limit', async () => {
  await using app = await startLimited();
  const headers = { origin: 'https://ada.example.com', 'access-control-request-method': 'GET' };
  const preflight = async () => {
    const answer = await app.call('OPTIONS', '/api/v1/posts', { headers });
    return { status: answer.status, ...limitOf(answer) };
  };
  const full = { status: 204, limit: '10', remaining: '10', reset: resetAfter(app, 0) };
  expect([await preflight(), await preflight()]).toEqual([full, full]);
  await app.get('/api/v1/posts');
  expect(await preflight()).toEqual({ ...full, remaining: '9', reset: resetAfter(app, 1) });
  for (let requested = 0; requested < 9; requested += 1) await app.get('/api/v1/posts');
  expect(await preflight()).toMatchObject({ status: 204, remaining: '0' });
});

test.for([
  ['/api/v1/posts', '10'],
  ['/api/admin/session', '5'],
  ['/mcp', '30'],
  ['/trpc/v1.posts.list', '10'],
  ['/posts', '100'],
  ['/healthz', '100'],
  ['/nothing/at/all', '100'],
] as const)('an OPTIONS to %s that is not a preflight counts', async ([path, limit]) => {
  await using app = await startLimited();
  const origin = 'https://ada.example.com';
  const counted: Record<string, string>[] = [{}, { origin }, { 'access-control-request-method': 'GET' }];
  for (const [before, headers] of counted.entries()) {
    const answer = await app.call('OPTIONS', path, { headers });
    expect(answer.status).toBe(path.startsWith('/trpc') ? 404 : 204);
    expect(limitOf(answer)).toMatchObject({ limit, remaining: String(Number(limit) - before - 1) });
  }
});

test('an invalid body, a refused key and a missing record have the rate limit headers', async () => {
  await using app = await startLimited();
  const key = await app.seed.key();
  const weak = await app.seed.key({ scopes: ['webhooks'] });
  const answers = [
    await app.get('/api/v1/posts?limit=0', { key }),
    await app.post('/api/v1/posts', { key, body: {} }),
    await app.post('/api/v1/posts', { key, body: `"${'a'.repeat(2_200_000)}"` }),
    await app.get('/api/v1/posts', { key: weak }),
    await app.delete(`/api/v1/posts/${'a'.repeat(15)}`, { key }),
  ];
  expect(answers.map((answer) => [answer.status, limitOf(answer).remaining])).toEqual([
    [400, '9'],
    [400, '8'],
    [413, '7'],
    [403, '6'],
    [404, '5'],
  ]);
});

test('a request target with scheme and host is counted like any other', async () => {
  await using app = await startLimited();
  const reply = await sendRaw(
    app,
    `GET ${app.baseUrl}/api/v1/posts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1.1 401 /);
  expect(reply).toMatch(/^x-ratelimit-remaining: 9\r$/im);
});

test('unknown paths below /api/admin count in Moderate, and similar paths outside it in Normal', async () => {
  await using app = await startLimited();
  const limits = [
    await app.get('/api/admin/nothing'),
    await app.get('/api/admin'),
    await app.call('PUT', '/api/admin/api-keys'),
    await app.get('/api/administration'),
  ].map(limitOf);
  expect(limits.map(({ limit, remaining }) => [limit, remaining])).toEqual([
    ['5', '4'],
    ['5', '3'],
    ['5', '2'],
    ['10', '9'],
  ]);
});

test('each tier counts separately: a client that used up Moderate still has its Normal quota', async () => {
  await using app = await startLimited();
  for (let requested = 0; requested < 5; requested += 1) await app.get('/api/admin/api-keys');
  const over = await app.get('/api/admin/api-keys');
  expect(over).toEqual(refused);
  expect(over.headers.get('retry-after')).toBe('6');
  expect((await app.get('/api/v1/posts')).status).toBe(401);
});

test('the Strict tier allows three sign-ins immediately, then one every twelve seconds', async () => {
  await using app = await startLimited();
  const logIn = () =>
    app.post('/api/admin/session', { body: { email: 'a@example.com', password: 'wrong password' } });
  for (let requested = 0; requested < 3; requested += 1) expect((await logIn()).status).toBe(401);
  const over = await logIn();
  expect(over).toEqual(refused);
  expect(over.headers.get('retry-after')).toBe('12');
  app.clock.advance({ seconds: 12 });
  expect((await logIn()).status).toBe(401);
  expect(await logIn()).toEqual(refused);
});

test('the limit of one client address does not affect another, even with the same key', async () => {
  await using app = await startLimited();
  const key = await app.seed.key();
  await exhaust(app, '10.1.1.1');
  expect(await app.get('/api/v1/posts', { key, headers: from('10.1.1.1') })).toEqual(refused);
  expect((await app.get('/api/v1/posts', { key, headers: from('10.1.1.2') })).status).toBe(200);
});

test('IPv6 clients count by /64, and IPv4-mapped addresses as IPv4', async () => {
  await using app = await startLimited();
  await exhaust(app, '2001:db8:1:2:aaaa::1');
  expect(await app.get('/api/v1/posts', { headers: from('2001:db8:1:2:bbbb::2') })).toEqual(refused);
  expect((await app.get('/api/v1/posts', { headers: from('2001:db8:1:3::1') })).status).toBe(401);
  await exhaust(app, '::ffff:10.1.1.1');
  expect(await app.get('/api/v1/posts', { headers: from('10.1.1.1') })).toEqual(refused);
});

test('of X-Forwarded-For, the address that the last trusted proxy saw counts', async () => {
  await using app = await startLimited();
  await exhaust(app, '10.1.1.1');
  expect(await app.get('/api/v1/posts', { headers: from('8.8.8.8, 10.1.1.1') })).toEqual(refused);
  expect(await app.get('/api/v1/posts', { headers: from('8.8.8.8, 10.1.1.1, 127.0.0.2') })).toEqual(refused);
  expect((await app.get('/api/v1/posts', { headers: from('10.1.1.1, 8.8.8.8') })).status).toBe(401);
});

test('a client that connects from another port each time is one client', async () => {
  await using app = await startLimited();
  const statuses: number[] = [];
  for (let requested = 0; requested < 40; requested += 1) {
    const answer = await app.get('/api/v1/posts', { headers: from(`5.6.7.8:${1001 + requested}`) });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(30).fill(429)]);
});

test.for([{ trustProxy: [] }, { trustProxy: ['10.0.0.0/8'] }])(
  'X-Forwarded-For from an address outside $trustProxy is ignored',
  async (config) => {
    await using app = await startApp({ limits: {}, config });
    for (let requested = 0; requested < 10; requested += 1)
      await app.get('/api/v1/posts', { headers: from(`10.1.1.${requested}`) });
    expect(await app.get('/api/v1/posts', { headers: from('10.1.1.99') })).toEqual(refused);
  },
);

test('a tier that is off sends no headers, and the others still apply', async () => {
  await using app = await startApp({ limits: { normal: 'off' } });
  const key = await app.seed.key();
  const none = { limit: null, remaining: null, reset: null };
  expect(limitOf(await app.get('/api/v1/posts', { key }))).toEqual(none);
  expect(limitOf(await app.get('/api/v1/nothing'))).toEqual(none);
  expect(limitOf(await app.get('/api/v1/webhooks/poll/content.created', { key }))).toMatchObject({
    limit: '20',
  });
  expect(limitOf(await app.get('/api/admin/api-keys'))).toMatchObject({ limit: '5' });
});

test('paths outside the API have no rate limit headers and are not refused', async () => {
  await using app = await startLimited();
  for (let requested = 0; requested < 12; requested += 1) await app.get('/healthz');
  const health = await app.get('/healthz');
  expect(health.status).toBe(200);
  expect(limitOf(health)).toEqual({ limit: null, remaining: null, reset: null });
});

async function exhaust(app: TestApp, address: string) {
  for (let requested = 0; requested < 10; requested += 1)
    await app.get('/api/v1/nothing', { headers: from(address) });
}

/** Sends bytes unchanged. Returns the whole response. */
async function sendRaw(app: TestApp, request: string): Promise<string> {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.end(request);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}
