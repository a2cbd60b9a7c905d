import { expect, test } from 'vitest';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createCaller, failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';

const at = '/api/admin/api-keys';
const anyKey = expect.stringMatching(/^svc_live_[0-9A-Za-z]{38}$/);
const start = '2026-01-31 09:05:00.123Z';
const updated = { status: 200, body: { status: 'updated' } };

interface MadeKey {
  id: string;
  key: string;
  key_prefix: string;
}

async function makeKey(app: TestApp, token: string, settings: object = {}): Promise<MadeKey> {
  const { body } = await app.post(at, { key: token, body: { name: 'k', scopes: ['read'], ...settings } });
  return body as MadeKey;
}

/** Starts a second server process, with its own connections and limits over the same database. */
async function startSecondServer(app: TestApp) {
  const database = await openDatabase({
    url: app.databaseUrl,
    poolSize: 2,
    applicationName: 'second server',
  });
  const server = buildApp(createDeps({ ...app.deps, database }));
  const call = createCaller(await server.listen({ host: '127.0.0.1', port: 0 }));
  return {
    get: (path: string, key: string) => call('GET', path, { key }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await database.close();
    },
  };
}

test('creating an API key returns 201 with its full value, which no list contains', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const created = await app.post(at, {
    key: token,
    body: {
      name: 'Build',
      scopes: ['write', 'read', 'write'],
      allowed_origins: ['HTTPS://Ada.Example.com:443'],
      expiry: '2026-03-01T00:00:00+02:00',
    },
  });
  const shown = {
    id: anyId,
    key_prefix: expect.stringMatching(/^svc_live_[0-9A-Za-z]{12}$/),
    name: 'Build',
    scopes: ['write', 'read'],
    allowed_origins: ['https://ada.example.com'],
    active: true,
    expiry: '2026-02-28 22:00:00.000Z',
    created: start,
  };
  expect(created).toEqual({ status: 201, body: { ...shown, key: anyKey } });
  const { key, key_prefix } = created.body as MadeKey;
  expect(key.startsWith(key_prefix)).toBe(true);
  expect(await app.get(at, { key: token })).toEqual({
    status: 200,
    body: { data: [{ ...shown, updated: start, last_used_at: null }] },
  });
});

test('an API key needs only a name and scopes, and by default works from any origin without an expiry', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  for (const rest of [{}, { allowed_origins: null, expiry: null }, { allowed_origins: [] }]) {
    expect(await app.post(at, { key: token, body: { name: 'k', scopes: ['read'], ...rest } })).toMatchObject({
      status: 201,
      body: { allowed_origins: [], expiry: null, active: true },
    });
  }
});

test('API keys are listed newest first', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  for (const name of ['first', 'second', 'third']) {
    await makeKey(app, token, { name });
    app.clock.advance({ seconds: 1 });
  }
  const { data } = (await app.get(at, { key: token })).body as { data: { name: string }[] };
  expect(data.map(({ name }) => name)).toEqual(['third', 'second', 'first']);
});

const badSettings: [what: string, body: object, names: string][] = [
  ['no name', { name: undefined }, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of 201 characters', { name: 'x'.repeat(201) }, 'name'],
  ['no scopes', { scopes: undefined }, 'scopes'],
  ['an empty list of scopes', { scopes: [] }, 'scopes'],
  ['an unknown scope', { scopes: ['read', 'admin'] }, 'scopes.1'],
  ['a scope in capitals', { scopes: ['READ'] }, 'scopes.0'],
  ['scopes that are not a list', { scopes: 'read' }, 'scopes'],
  ['an origin with a path', { allowed_origins: ['https://a.example/x'] }, 'allowed_origins.0'],
  ['an origin with a trailing slash', { allowed_origins: ['https://a.example/'] }, 'allowed_origins.0'],
  ['an origin with a user', { allowed_origins: ['https://u@a.example'] }, 'allowed_origins.0'],
  ['an origin with a query', { allowed_origins: ['https://a.example?x'] }, 'allowed_origins.0'],
  ['an origin with a backslash', { allowed_origins: ['https://a.example\\x'] }, 'allowed_origins.0'],
  ['an origin with a wildcard', { allowed_origins: ['https://*.example'] }, 'allowed_origins.0'],
  ['an origin without a scheme', { allowed_origins: ['a.example'] }, 'allowed_origins.0'],
  ['an origin of another scheme', { allowed_origins: ['ftp://a.example'] }, 'allowed_origins.0'],
  ['an origin with a bad port', { allowed_origins: ['https://a.example:99999'] }, 'allowed_origins.0'],
  ['the origin null', { allowed_origins: ['null'] }, 'allowed_origins.0'],
  ['an expiry that is not a date-time', { expiry: 'tomorrow' }, 'expiry'],
  ['an expiry on a date that does not exist', { expiry: '2026-02-30T00:00:00Z' }, 'expiry'],
  ['a field that is not listed', { plan: 'pro' }, 'plan'],
];

test('an API key with an invalid setting is refused with validation_failed and the name of the field', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const { id } = await makeKey(app, token);
  for (const [what, settings, field] of badSettings) {
    const refusal = failure(400, 'validation_failed', expect.stringContaining(field));
    const body = { name: 'k', scopes: ['read'], ...settings };
    expect(await app.post(at, { key: token, body }), what).toEqual(refusal);
    if (Object.values(settings).includes(undefined)) continue;
    expect(await app.patch(`${at}/${id}`, { key: token, body: settings }), `PATCH ${what}`).toEqual(refusal);
  }
});

test('an update changes only the given fields, and an empty one changes nothing', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const { id, key: _, ...made } = await makeKey(app, token, { expiry: '2027-01-01T00:00:00Z' });
  const listed = async () => ((await app.get(at, { key: token })).body as { data: object[] }).data[0];
  const before = { id, ...made, updated: start, last_used_at: null };
  app.clock.advance({ seconds: 1 });
  expect(await app.patch(`${at}/${id}`, { key: token, body: {} })).toEqual(updated);
  expect(await listed()).toEqual(before);
  const changes = { name: 'new', scopes: ['write'], allowed_origins: ['http://localhost:8080'] };
  expect(await app.patch(`${at}/${id}`, { key: token, body: { ...changes, expiry: null } })).toEqual(updated);
  const after = { ...before, ...changes, expiry: null, updated: '2026-01-31 09:05:01.123Z' };
  expect(await listed()).toEqual(after);
  await app.patch(`${at}/${id}`, { key: token, body: { allowed_origins: null } });
  // The test clock has not advanced, but two writes never get the same time.
  expect(await listed()).toEqual({ ...after, allowed_origins: [], updated: '2026-01-31 09:05:01.124Z' });
});

test('a change of an API key applies to the next request in every process', async () => {
  await using app = await startApp();
  await using second = await startSecondServer(app);
  const token = await app.seed.ownerToken();
  const { id, key } = await makeKey(app, token);
  const everywhere = async () => {
    const answers = [await second.get('/api/v1/posts', key), await app.get('/api/v1/posts', { key })];
    expect(answers[0]).toEqual(answers[1]);
    return answers[0];
  };
  const change = (body: object) => app.patch(`${at}/${id}`, { key: token, body });
  expect(await everywhere()).toMatchObject({ status: 200 });
  await change({ active: false });
  expect(await everywhere()).toEqual(failure(403, 'key_disabled'));
  await change({ active: true });
  expect(await everywhere()).toMatchObject({ status: 200 });
  await change({ expiry: app.clock.now().toISOString() });
  expect(await everywhere()).toEqual(failure(403, 'key_expired'));
  await change({ expiry: null, scopes: ['write'] });
  expect(await everywhere()).toEqual(failure(403, 'insufficient_scope'));
  await change({ scopes: ['read'], allowed_origins: ['https://ada.example.com'] });
  expect(await everywhere()).toEqual(failure(403, 'origin_not_allowed'));
  await change({ allowed_origins: [] });
  expect(await everywhere()).toMatchObject({ status: 200 });
  expect(await app.delete(`${at}/${id}`, { key: token })).toEqual({
    status: 200,
    body: { status: 'deleted' },
  });
  expect(await everywhere()).toEqual(failure(401, 'unauthorized', 'invalid API key'));
});

test('an expiry may be in the past: the key is stored, and refused with key_expired', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const { key } = await makeKey(app, token, { expiry: '2001-01-01T00:00:00Z' });
  expect(await app.get('/api/v1/posts', { key })).toEqual(failure(403, 'key_expired'));
});

test('a rotated API key has a new value, and every process accepts the old one for exactly 24 more hours', async () => {
  await using app = await startApp();
  await using second = await startSecondServer(app);
  const token = await app.seed.ownerToken();
  const old = await makeKey(app, token);
  const rotated = await app.post(`${at}/${old.id}/rotate`, { key: token });
  expect(rotated).toEqual({
    status: 200,
    body: {
      id: old.id,
      key: anyKey,
      key_prefix: expect.stringMatching(/^svc_live_[0-9A-Za-z]{12}$/),
      previous_key_expires_at: '2026-02-01 09:05:00.123Z',
    },
  });
  const { key, key_prefix } = rotated.body as MadeKey;
  expect(key).not.toBe(old.key);
  expect(key.startsWith(key_prefix)).toBe(true);
  expect(await app.get(at, { key: token })).toMatchObject({ body: { data: [{ key_prefix }] } });
  const statuses = async () => {
    const answers = [await second.get('/api/v1/posts', old.key), await second.get('/api/v1/posts', key)];
    return answers.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 200]);
  app.clock.advance({ hours: 24, ms: -1 });
  expect(await statuses()).toEqual([200, 200]);
  app.clock.advance({ ms: 1 });
  expect(await statuses()).toEqual([401, 200]);
});

test('a second rotation ends the first value immediately', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const first = await makeKey(app, token);
  const second = (await app.post(`${at}/${first.id}/rotate`, { key: token })).body as MadeKey;
  app.clock.advance({ hours: 1 });
  const third = (await app.post(`${at}/${first.id}/rotate`, { key: token })).body as MadeKey;
  const status = async (key: string) => (await app.get('/api/v1/posts', { key })).status;
  expect(await Promise.all([first.key, second.key, third.key].map(status))).toEqual([401, 200, 200]);
});

test('two concurrent rotations of an API key return different values, and both of them work', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const { id, key: oldest } = await makeKey(app, token);
  const both = await Promise.all([1, 2].map(() => app.post(`${at}/${id}/rotate`, { key: token })));
  const keys = both.map(({ body }) => (body as MadeKey).key);
  const status = async (key: string) => (await app.get('/api/v1/posts', { key })).status;
  expect(new Set(keys).size).toBe(2);
  expect(await Promise.all([oldest, ...keys].map(status))).toEqual([401, 200, 200]);
});

test('rotation keeps the settings: a disabled key stays disabled with both values', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const old = await makeKey(app, token);
  await app.patch(`${at}/${old.id}`, { key: token, body: { active: false } });
  const { key } = (await app.post(`${at}/${old.id}/rotate`, { key: token })).body as MadeKey;
  for (const secret of [key, old.key]) {
    expect(await app.get('/api/v1/posts', { key: secret })).toEqual(failure(403, 'key_disabled'));
  }
});

test('the last use of an API key is shown, accurate to a minute', async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const { key } = await makeKey(app, token);
  const lastUse = async () =>
    ((await app.get(at, { key: token })).body as { data: { last_used_at: string }[] }).data[0]?.last_used_at;
  await app.get('/api/v1/posts', { key });
  app.clock.advance({ seconds: 59 });
  await app.get('/api/v1/posts', { key });
  expect(await lastUse()).toBe(start);
  app.clock.advance({ seconds: 1 });
  await app.get('/api/v1/posts', { key });
  expect(await lastUse()).toBe('2026-01-31 09:06:00.123Z');
});

test("an unknown id, a malformed one and another site's key are not found, and that key is not changed", async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const foreign = await makeKey(app, await app.seed.ownerToken(await app.seed.site()));
  expect(await app.get(at, { key: token })).toEqual({ status: 200, body: { data: [] } });
  for (const id of ['mb3k9x2a7f0q1zd', 'x', 'MB3K9X2A7F0Q1ZD', '%20', foreign.id]) {
    for (const call of [
      app.patch(`${at}/${id}`, { key: token, body: { name: 'mine' } }),
      app.patch(`${at}/${id}`, { key: token, body: {} }),
      app.delete(`${at}/${id}`, { key: token }),
      app.post(`${at}/${id}/rotate`, { key: token }),
    ]) {
      expect(await call, id).toEqual(failure(404, 'not_found'));
    }
  }
  expect((await app.get('/api/v1/posts', { key: foreign.key })).status).toBe(200);
});
