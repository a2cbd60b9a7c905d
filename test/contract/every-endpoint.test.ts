import { afterAll, expect, test } from 'vitest';
import { newKeySecret } from '../../server/api/access/credentials.ts';
import { type Scope, scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import {
  answersOf,
  callEndpoint,
  type Endpoint,
  keyEndpoints,
  ownerEndpoints,
  refused,
  sameFrom,
} from '../support/endpoints.ts';
import { type CallOptions, failure } from '../support/http.ts';

// Rules that hold for every endpoint. A new endpoint is covered by its declaration.

const app = await startApp({
  smtpUrl: 'smtp://127.0.0.1:1',
  webhooks: { lookup: async () => ['93.184.215.14'] },
});
afterAll(() => app[Symbol.asyncDispose]());

const credentialed = [...keyEndpoints, ...ownerEndpoints];
const allScopes = { scopes: scopeNames };
const goodKey = await app.seed.key(allScopes);
const goodToken = await app.seed.ownerToken();
const freeSite = await app.seed.site({ plan: 'free' });
await app.seed.site({ custom_domain: 'another.example.com', subdomain: 'another' });

const unauthorized = failure(401, 'unauthorized');
const ownerToken = failure(
  401,
  'unauthorized',
  "the Authorization header contains an owner's session token; this path requires an API key",
);
const apiKey = failure(
  401,
  'unauthorized',
  "the Authorization header contains an API key; this path requires an owner's session token",
);
const unknownKey = failure(401, 'unauthorized', 'invalid API key');
const unknownToken = failure(401, 'unauthorized', 'invalid or expired session token');
const planLacksApi = failure(403, 'insufficient_scope', "the site's plan does not include API access");

const request = (requested: readonly Endpoint[], options: CallOptions) =>
  answersOf(requested, (endpoint) => callEndpoint(app, endpoint, options));

const credentialFor = ({ access }: Endpoint) => (access === 'owner' ? goodToken : goodKey);

test('a call without credentials is refused with unauthorized', async () => {
  expect(await request(credentialed, {})).toEqual(sameFrom(credentialed, unauthorized));
});

test.for([
  '',
  'Bearer',
  'Basic {}',
  'Token {}',
  '{}',
  'Bearer: {}',
  'Bearer{}',
  'Bearer {} {}',
  'Basic {}, Bearer {}',
])('an Authorization header of the form "%s" is refused with unauthorized', async (form) => {
  const forms = credentialed.map(async (endpoint) => {
    const authorization = form.replaceAll('{}', credentialFor(endpoint));
    return [endpoint.title, await callEndpoint(app, endpoint, { headers: { authorization } })] as const;
  });
  expect(Object.fromEntries(await Promise.all(forms))).toEqual(sameFrom(credentialed, unauthorized));
});

test.for(['bearer {}', 'BEARER {}', 'Bearer   {}'])('a header of the form "%s" is accepted', async (form) => {
  const authorization = form.replace('{}', goodKey);
  const answers = await request(keyEndpoints, { headers: { authorization } });
  expect(refused(answers)).toEqual([]);
});

test('a key in X-API-Key, a cookie or the query is not a credential', async () => {
  const elsewhere = answersOf(credentialed, (endpoint) =>
    callEndpoint(
      app,
      { ...endpoint, path: `${endpoint.path}?api_key=${goodKey}&access_token=${goodKey}` },
      { headers: { 'x-api-key': goodKey, cookie: `api_key=${goodKey}; authorization=Bearer ${goodKey}` } },
    ),
  );
  expect(await elsewhere).toEqual(sameFrom(credentialed, unauthorized));
});

test('an unknown key is refused with unauthorized', async () => {
  const strange = newKeySecret('', app.deps.randomBytes);
  expect(await request(keyEndpoints, { key: strange })).toEqual(sameFrom(keyEndpoints, unknownKey));
});

test('a key with a typo is refused with unauthorized', async () => {
  const typo = goodKey.slice(0, -1) + (goodKey.endsWith('a') ? 'b' : 'a');
  expect(await request(keyEndpoints, { key: typo })).toEqual(sameFrom(keyEndpoints, unknownKey));
});

test('an owner token opens no endpoint that requires a key, and a key none that requires an owner', async () => {
  expect(await request(keyEndpoints, { key: goodToken })).toEqual(sameFrom(keyEndpoints, ownerToken));
  expect(await request(ownerEndpoints, { key: goodKey })).toEqual(sameFrom(ownerEndpoints, apiKey));
});

test('every 401 names the scheme in WWW-Authenticate', async () => {
  for (const authorization of ['', `Bearer ${newKeySecret('', app.deps.randomBytes)}`]) {
    const challenges = credentialed.map(async (endpoint) => {
      const { headers } = await callEndpoint(app, endpoint, { headers: { authorization } });
      return headers.get('www-authenticate');
    });
    expect(new Set(await Promise.all(challenges))).toEqual(new Set(['Bearer']));
  }
});

test('a disabled key is refused with key_disabled', async () => {
  const key = await app.seed.key({ ...allScopes, active: false });
  expect(await request(keyEndpoints, { key })).toEqual(sameFrom(keyEndpoints, failure(403, 'key_disabled')));
});

test('a key is refused with key_expired from the exact time of its expiry', async () => {
  const expired = failure(403, 'key_expired');
  const now = await app.seed.key({ ...allScopes, expiry: app.clock.now() });
  expect(await request(keyEndpoints, { key: now })).toEqual(sameFrom(keyEndpoints, expired));
  const longAgo = await app.seed.key({ ...allScopes, expiry: new Date('2001-01-01T00:00:00Z') });
  expect(await request(keyEndpoints, { key: longAgo })).toEqual(sameFrom(keyEndpoints, expired));
  const oneMillisecondAhead = new Date(app.clock.now().getTime() + 1);
  const valid = await app.seed.key({ ...allScopes, expiry: oneMillisecondAhead });
  expect(refused(await request(keyEndpoints, { key: valid }))).toEqual([]);
});

test('a key of a site whose plan does not include the API is refused with insufficient_scope', async () => {
  const key = await app.seed.key({ ...allScopes, siteId: freeSite });
  expect(await request(keyEndpoints, { key })).toEqual(sameFrom(keyEndpoints, planLacksApi));
});

test('a key with only the scope of the endpoint is accepted, and one with only another scope is refused', async () => {
  const insufficient = failure(403, 'insufficient_scope');
  for (const scope of scopeNames) {
    const key = await app.seed.key({ scopes: [scope] });
    const [covered, others] = partition(keyEndpoints, ({ scope: needed }) => opens(scope, needed));
    expect(refused(await request(covered, { key }))).toEqual([]);
    expect(await request(others, { key })).toEqual(sameFrom(others, insufficient));
  }
});

test.for([
  'another.example.com',
  'ANOTHER.EXAMPLE.COM:8080',
  'another.example.com.',
  'another.localhost:3000',
])('at the domain of another site, %s, a credential is unknown', async (host) => {
  expect(await request(keyEndpoints, { key: goodKey, headers: { host } })).toEqual(
    sameFrom(keyEndpoints, unknownKey),
  );
  expect(await request(ownerEndpoints, { key: goodToken, headers: { host } })).toEqual(
    sameFrom(ownerEndpoints, unknownToken),
  );
});

test.for(['localhost', '127.0.0.1:3000', '[::1]:3000', 'nobody.example.com', 'a.another.localhost'])(
  'at %s, which belongs to no site, a credential is accepted',
  async (host) => {
    expect(refused(await request(keyEndpoints, { key: goodKey, headers: { host } }))).toEqual([]);
  },
);

/** True if the scope opens an endpoint. Only `webhooks` includes another scope. */
const opens = (held: Scope, needed: Scope | undefined) =>
  held === needed || (held === 'webhooks' && needed === 'write:webhooks');

const partition = <T>(items: readonly T[], test: (item: T) => boolean) =>
  [items.filter(test), items.filter((item) => !test(item))] as const;
