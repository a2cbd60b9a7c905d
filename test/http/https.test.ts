import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';

// docs/reference/requests.md#https

const publicUrl = new URL('https://site.example');
const trustProxy = ['127.0.0.0/8'];
const needsHttps = failure(400, 'invalid_request', 'HTTPS is required');
const forwarded = (protocol: string) => ({ 'x-forwarded-proto': protocol });

test('with an https PUBLIC_URL, plain HTTP is refused with and without a key, on every path', async () => {
  await using app = await startApp({ config: { publicUrl } });
  const key = await app.seed.key();
  for (const path of ['/api/v1/posts', '/api/v1/nothing', '/api/admin/api-keys', '/']) {
    expect(await app.get(path, { key })).toEqual(needsHttps);
    expect(await app.get(path)).toEqual(needsHttps);
  }
  expect(await app.post('/api/v1/posts', { key, body: { title: 'Over http' } })).toEqual(needsHttps);
});

test('the health checks respond over plain HTTP', async () => {
  await using app = await startApp({ config: { publicUrl } });
  for (const path of ['/healthz', '/readyz', '/healthz?from=probe'])
    expect((await app.get(path)).status).toBe(200);
});

test('X-Forwarded-Proto of a trusted proxy is accepted', async () => {
  await using app = await startApp({ config: { publicUrl, trustProxy } });
  const key = await app.seed.key();
  const secure = await app.get('/api/v1/posts', { key, headers: forwarded('https') });
  expect(secure.status).toBe(200);
  expect(secure.headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}/);
  expect(await app.get('/api/v1/posts', { key, headers: forwarded('http') })).toEqual(needsHttps);
  expect(await app.get('/api/v1/posts', { key })).toEqual(needsHttps);
});

test.for([{ trustProxy: [] }, { trustProxy: ['10.0.0.0/8'] }])(
  'X-Forwarded-Proto from an address outside $trustProxy is ignored',
  async (config) => {
    await using app = await startApp({ config: { publicUrl, ...config } });
    const key = await app.seed.key();
    expect(await app.get('/api/v1/posts', { key, headers: forwarded('https') })).toEqual(needsHttps);
  },
);

test('with an http PUBLIC_URL, plain HTTP is accepted, and Strict-Transport-Security is not sent', async () => {
  await using app = await startApp();
  const { status, headers } = await app.get('/api/v1/posts', { key: await app.seed.key() });
  expect(status).toBe(200);
  expect(headers.get('strict-transport-security')).toBeNull();
});
