import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { endpoints, keyEndpoints } from '../support/endpoints.ts';

// Pages of any origin may call the API, without cookies, and can read the rate limit headers.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();

const origin = 'https://elsewhere.example';
const exposed =
  'ETag, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id, Idempotency-Replayed, Link, WWW-Authenticate, Accept-Ranges, Content-Range';

const corsOf = ({ headers }: { headers: Headers }) => ({
  origin: headers.get('access-control-allow-origin'),
  exposed: headers.get('access-control-expose-headers'),
  credentials: headers.get('access-control-allow-credentials'),
});

test.for(['GET', 'POST', 'PATCH', 'DELETE'])(
  'a preflight for %s succeeds on every path without a key',
  async (method) => {
    const paths = new Set(endpoints.filter((endpoint) => endpoint.method === method).map(({ path }) => path));
    for (const path of paths) {
      const headers = {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      };
      const answer = await app.call('OPTIONS', path, { headers });
      expect(answer).toEqual({ status: 204, body: undefined });
      expect(corsOf(answer)).toEqual({ origin: '*', exposed, credentials: null });
      expect(answer.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
      expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
      expect(answer.headers.get('access-control-max-age')).toBe('7200');
    }
  },
);

test('every response, including errors, can be read by pages of any origin', async () => {
  for (const { method, path } of keyEndpoints.slice(0, 5)) {
    for (const credential of [{}, { key }]) {
      const answer = await app.call(method, path, { ...credential, headers: { origin } });
      expect(corsOf(answer)).toEqual({ origin: '*', exposed, credentials: null });
    }
  }
  for (const path of ['/api/v1/nothing', '/api/v1/posts/%zz', '/api/v1/posts?limit=0']) {
    expect(corsOf(await app.get(path, { key, headers: { origin } }))).toMatchObject({ origin: '*', exposed });
  }
});

test('a page can read that it exceeded its limit, and when to retry', async () => {
  await using limited = await startApp({ limits: { normal: { perMinute: 1, burst: 1 } } });
  const headers = { origin };
  await limited.get('/api/v1/posts', { headers });
  const over = await limited.get('/api/v1/posts', { headers });
  expect(over.status).toBe(429);
  expect(over.headers.get('retry-after')).toBe('60');
  expect(corsOf(over)).toEqual({ origin: '*', exposed, credentials: null });
});

test('a preflight is not checked against the allowed origins of keys', async () => {
  await app.seed.key({ allowed_origins: ['https://ada.example.com'] });
  const headers = { origin, 'access-control-request-method': 'GET' };
  expect((await app.call('OPTIONS', '/api/v1/posts', { headers })).status).toBe(204);
});
