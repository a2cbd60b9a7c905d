import { afterAll, expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { answersOf, callEndpoint, keyEndpoints, refused, sameFrom } from '../support/endpoints.ts';
import { failure } from '../support/http.ts';

// docs/reference/keys.md#origins, checked for every endpoint that requires a key.

// No email is sent and nothing is sold; endpoints only check that a mail server is configured, and that the site sells.
const smtpUrl = 'smtp://127.0.0.1:9';
const app = await startApp({
  smtpUrl,
  config: { countsTest: true },
  webhooks: { lookup: async () => ['93.184.215.14'] },
});
afterAll(() => app[Symbol.asyncDispose]());

const allowed_origins = ['https://ada.example.com', 'http://localhost:5173'];
const key = await app.seed.key({ scopes: scopeNames, allowed_origins });

const askFrom = (headers: Record<string, string>) =>
  answersOf(keyEndpoints, (endpoint) => callEndpoint(app, endpoint, { key, headers }));

const elsewhere: Record<string, Record<string, string>> = {
  'no Origin and no Referer': {},
  'Origin null': { origin: 'null' },
  'another host': { origin: 'https://evil.example' },
  'the host as a prefix': { origin: 'https://ada.example.com.evil.example' },
  'the host as a suffix': { origin: 'https://notada.example.com' },
  'a subdomain of the host': { origin: 'https://www.ada.example.com' },
  'another port': { origin: 'https://ada.example.com:8443' },
  'another scheme': { origin: 'http://ada.example.com' },
  'the host as user name': { origin: 'https://ada.example.com@evil.example' },
  'the origin and more': { origin: 'https://ada.example.com/path' },
  'two origins': { origin: 'https://ada.example.com https://evil.example' },
  'a bad Origin beside a good Referer': { origin: 'null', referer: 'https://ada.example.com/' },
  'a Referer of another host': { referer: 'https://evil.example/?https://ada.example.com' },
  'a Referer with the host as user name': { referer: 'https://ada.example.com@evil.example/' },
  'a Referer that is not a URL': { referer: 'ada.example.com' },
};

test.for(Object.entries(elsewhere))(
  'a key with allowed origins is refused from other origins: %s',
  async ([, headers]) => {
    expect(await askFrom(headers)).toEqual(sameFrom(keyEndpoints, failure(403, 'origin_not_allowed')));
  },
);

const allowed: Record<string, Record<string, string>> = {
  Origin: { origin: 'https://ada.example.com' },
  'Origin in another case': { origin: 'HTTPS://Ada.Example.com' },
  'another of the list': { origin: 'http://localhost:5173' },
  'Referer without Origin': { referer: 'https://ada.example.com/blog?page=2' },
  'a good Origin beside a bad Referer': {
    origin: 'https://ada.example.com',
    referer: 'https://evil.example/',
  },
};

test.for(Object.entries(allowed))(
  'a key with allowed origins is accepted from one of them: %s',
  async ([, headers]) => {
    expect(refused(await askFrom(headers))).toEqual([]);
  },
);

test('allowed origins are normalized before they are compared', async () => {
  const entered = await app.seed.key({ allowed_origins: ['HTTPS://ADA.example.com:443'] });
  const { status } = await app.get('/api/v1/posts', {
    key: entered,
    headers: { origin: 'https://ada.example.com' },
  });
  expect(status).toBe(200);
});
